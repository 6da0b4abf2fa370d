/* Starts a deck. The window's own layout is used instead of scaled slides: the pointer then is where charts think it is. */
(function () {
  "use strict";
  Reveal.initialize({
    hash: true, disableLayout: true, display: "flex", transition: "none", slideNumber: "c/t", controls: true,
    plugins: [RevealNotes]
  });

  /* A chart that was drawn, or left undrawn, while its slide was hidden learns its width when the slide is shown. */
  Reveal.on("slidechanged", function () { window.dispatchEvent(new Event("resize")); });

  /* On a slide that is longer than the window the keys scroll first. */
  Reveal.on("slidechanged", function (event) { event.currentSlide.scrollTop = 0; });
})();
