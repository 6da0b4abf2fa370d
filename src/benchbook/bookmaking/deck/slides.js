/* Starts a deck. The window's own layout is used instead of scaled slides: the pointer then is where charts think it is. */
(function () {
  "use strict";
  Reveal.initialize({
    hash: true, disableLayout: true, display: "flex", transition: "none", slideNumber: "c/t", controls: true,
    plugins: [RevealNotes]
  });

  /* A chart that was drawn, or left undrawn, while its slide was hidden learns its width when the slide is shown. */
  Reveal.on("slidechanged", function () { window.dispatchEvent(new Event("resize")); });

  /* A formula that is wider than the slide, and words and tables that are longer, are made as small as they must be. A
     chart is not, since the pointer would no longer be where it thinks; its slide can be moved up, as can one whose
     words would be too small to read. */
  var SMALLEST = 0.55;
  function fit(slide) {
    slide.scrollTop = 0;
    slide.querySelectorAll("div.math").forEach(function (one) {
      one.style.zoom = 1;
      if (one.scrollWidth > one.clientWidth + 1) { one.style.zoom = Math.max(SMALLEST, one.clientWidth / one.scrollWidth); }
    });
    if (slide.querySelector(".vega-chart")) { return; }
    var parts = Array.from(slide.children).filter(function (one) { return !one.matches("h1, h2, aside, div.math"); });
    parts.forEach(function (one) { one.style.zoom = 1; });
    for (var size = 1; slide.scrollHeight > slide.clientHeight + 1 && size > SMALLEST; size -= 0.05) {
      parts.forEach(function (one) { one.style.zoom = size; });
    }
  }
  Reveal.on("slidechanged", function (event) { fit(event.currentSlide); });
  window.addEventListener("resize", function () { if (Reveal.isReady()) { fit(Reveal.getCurrentSlide()); } });
})();
