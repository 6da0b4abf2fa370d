/* Starts a deck. The window's own layout is used instead of scaled slides: the pointer then is where charts think it is. */
(function () {
  "use strict";
  Reveal.initialize({
    hash: true, disableLayout: true, display: "flex", transition: "none", slideNumber: "c/t", controls: true,
    plugins: [RevealNotes]
  });

  /* What MathJax adds to a formula for screen readers would be seen in the window of the speaker's notes, where its
     style is not: each formula would stand there twice. */
  window.addEventListener("load", function () {
    if (!window.MathJax || !MathJax.startup.promise) { return; }
    MathJax.startup.promise.then(function () {
      document.querySelectorAll("aside.notes mjx-assistive-mml").forEach(function (one) { one.remove(); });
    });
  });

  /* A chart that was drawn, or left undrawn, while its slide was hidden learns its width when the slide is shown. */
  Reveal.on("slidechanged", function () { window.dispatchEvent(new Event("resize")); });

  /* A formula that is wider than the slide, and words and tables that are longer, are made as small as they must be. A
     chart is not, since the pointer would no longer be where it thinks, and words below one stay large enough to read:
     such a slide can be moved up, and moves by itself to the sentence that comes. */
  var SMALLEST = 0.55;
  function fit(slide) {
    var size;
    slide.scrollTop = 0;
    slide.querySelectorAll("div.math").forEach(function (one) {
      var left = 5;  /* letters have whole sizes, so that one step may not be enough */
      one.style.zoom = 1;
      for (size = 1; left && one.scrollWidth > one.clientWidth + 1; left -= 1) {
        size = Math.max(SMALLEST, size * one.clientWidth / one.scrollWidth);
        one.style.zoom = size;
      }
    });
    var parts = Array.from(slide.children).filter(function (one) {
      return !one.matches("h1, h2, aside, div.math") && !one.querySelector(".vega-chart");
    });
    parts.forEach(function (one) { one.style.zoom = 1; });
    for (size = 1; slide.scrollHeight > slide.clientHeight + 1 && size > SMALLEST; size -= 0.05) {
      parts.forEach(function (one) { one.style.zoom = size; });
    }
  }
  Reveal.on("slidechanged", function (event) { fit(event.currentSlide); });
  Reveal.on("fragmentshown", function (event) { event.fragment.scrollIntoView({block: "nearest"}); });
  window.addEventListener("resize", function () { if (Reveal.isReady()) { fit(Reveal.getCurrentSlide()); } });
})();
