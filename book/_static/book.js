/* Small mends to the theme, all of them without a network. */
(function () {
  "use strict";

  /* The theme reads the classes of the right-hand sidebar even on a page that has none. */
  function standInForSidebar() {
    if (document.querySelector("div.bd-sidebar-secondary")) { return; }
    var empty = document.createElement("div");
    empty.className = "bd-sidebar-secondary";
    empty.hidden = true;
    document.body.appendChild(empty);
  }

  /* A table or listing that is wider than the page scrolls inside its own box; a keyboard must reach it. */
  function makeScrollable() {
    document.querySelectorAll("article table").forEach(function (table) {
      if (table.closest(".bb-table, .pst-scrollable-table-container, .highlight, .cell_output .output")) { return; }
      var box = document.createElement("div");
      box.className = "bb-table";
      table.parentNode.insertBefore(box, table);
      box.appendChild(table);
    });
    /* What a command prints in columns keeps them, and is moved sideways; what it says in sentences is wrapped. */
    document.querySelectorAll("article .cell_output .output pre").forEach(function (text) {
      if (/^ *-{3,}( +-{3,})+ *$|^┌/m.test(text.textContent)) { text.classList.add("bb-columns"); text.tabIndex = 0; }
    });
    /* The name of a method stays on one line, hyphens and all. */
    document.querySelectorAll("article table :is(th, td)").forEach(function (cell) {
      cell.classList.toggle("bb-name", /^\S{2,24}$/.test(cell.textContent.trim()));
    });
    document.querySelectorAll(".bb-table").forEach(function (box) {
      /* A table that is a little too wide fits where its columns stand closer. */
      box.classList.remove("bb-close");
      var wide = box.scrollWidth > box.clientWidth + 1;
      if (wide) {
        box.classList.add("bb-close");
        wide = box.scrollWidth > box.clientWidth + 1;
        box.classList.toggle("bb-close", !wide);
      }
      box.classList.toggle("bb-wide", wide);
      if (wide) { box.tabIndex = 0; } else { box.removeAttribute("tabindex"); }
    });
  }

  /* A link to something folded opens it. */
  function unfoldTarget() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var fold = target && target.closest("details");
    if (fold && !fold.open) { fold.open = true; target.scrollIntoView(); }
  }

  /* One switch for all code that is folded; it is remembered for other pages and the next visit. */
  function offerAllCode() {
    var button = document.querySelector("button.bb-all-code"), key = "bb-all-code";
    var folds = Array.from(document.querySelectorAll("details.above-input, details.hide"));
    if (!button || !folds.length) { return; }
    function recall() { try { return localStorage.getItem(key) === "open"; } catch (error) { return false; } }
    function keep(open) { try { localStorage.setItem(key, open ? "open" : ""); } catch (error) { /* for this page only */ } }
    function show(open) {
      folds.forEach(function (fold) { fold.open = open; });
      button.textContent = open ? "Fold all code" : "Show all code";
      button.setAttribute("aria-pressed", String(open));
    }
    button.hidden = false;
    show(recall());
    button.addEventListener("click", function () {
      var open = button.getAttribute("aria-pressed") !== "true";
      keep(open);
      show(open);
    });
  }

  function onReady() {
    offerAllCode();
    standInForSidebar();
    makeScrollable();
    unfoldTarget();
  }

  window.addEventListener("resize", makeScrollable);
  window.addEventListener("hashchange", unfoldTarget);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details.bb-provenance, details.bb-fold").forEach(function (fold) { fold.open = true; });
  });
  if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", onReady); } else { onReady(); }
})();
