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

  /* A per cent sign stays with its number, in a table every sign does; there a long name is broken between its words. */
  function keepTogether() {
    document.querySelectorAll("article :is(p, li, dd, td, caption)").forEach(function (part) {
      var walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), text, long = [], inTable = part.tagName === "TD";
      while ((text = walk.nextNode())) {
        var kept = text.data.replace(/(^|\d) %/g, "$1\u00a0%");
        if (inTable) { kept = kept.replace(/(±|\+|\bto|\bp|\bp <|\bp >|<) (?=[\d?∞<])/g, "$1\u00a0"); }
        if (kept !== text.data && !text.parentNode.closest("pre")) { text.data = kept; }
        if (inTable && /[a-z][._][a-z._]{20,}/.test(text.data)) { long.push(text); }
      }
      long.forEach(function (name) {
        name.data.match(/[^._]+[._]*|[._]+/g).forEach(function (word) {
          name.parentNode.insertBefore(document.createTextNode(word), name);
          name.parentNode.insertBefore(document.createElement("wbr"), name);
        });
        name.remove();
      });
    });
  }

  /* Whether a table is wider than its box, or a sentence in it has become a thread. */
  function tooWide(box) {
    return box.scrollWidth > box.clientWidth + 1 || Array.from(box.querySelectorAll(".bb-fit td")).some(function (cell) {
      return cell.textContent.length > 30 && cell.clientWidth && cell.clientWidth < 120;
    });
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
    /* The name of a method stays on one line, hyphens and all, and so do two short words. */
    document.querySelectorAll("article table :is(th, td)").forEach(function (cell) {
      var text = cell.textContent.trim(), brief = cell.tagName === "TD" && /^(?=.{4,12}$)[a-z]+ [a-z]+$/i.test(text);
      cell.classList.toggle("bb-name", brief || /^(\S{2,24}|Exercise [\d.]+)$/.test(text));
    });
    document.querySelectorAll(".bb-table, .pst-scrollable-table-container").forEach(function (box) {
      /* A table that is a little too wide fits where its columns stand closer, its letters are a little smaller, or its
       * sentences, on a telephone, have less than the width they would like. */
      var tried = ["bb-close", "bb-small", "bb-fit"], wide = true;
      box.classList.remove.apply(box.classList, tried);
      for (var step = 0; (wide = tooWide(box)) && step < tried.length; step += 1) {
        box.classList.add(tried[step]);
      }
      if (wide) { box.classList.remove.apply(box.classList, tried); }
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

  /* Formulas are set when the page is there already, and move what is below them: a link leads to its place all the same. */
  function arrive() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var set = target && window.MathJax && window.MathJax.startup && window.MathJax.startup.promise, moved = false;
    if (!set) { return; }
    ["wheel", "touchmove", "keydown", "mousedown"].forEach(function (kind) {
      window.addEventListener(kind, function () { moved = true; }, { once: true, passive: true });
    });
    set.then(function () { if (!moved) { target.scrollIntoView(); } });
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
    keepTogether();
    makeScrollable();
    unfoldTarget();
  }

  /* The menu closes when one looks elsewhere. */
  document.addEventListener("click", function (event) {
    document.querySelectorAll("details.bb-menu[open]").forEach(function (menu) {
      if (!menu.contains(event.target)) { menu.open = false; }
    });
  });
  document.addEventListener("keydown", function (event) {
    var menu = event.key === "Escape" && document.querySelector("details.bb-menu[open]");
    if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
  });
  window.addEventListener("resize", makeScrollable);
  window.addEventListener("load", arrive);
  /* A table that was folded away has had no width until now. */
  document.addEventListener("toggle", function (event) {
    if (event.target.open && event.target.querySelector(".bb-table")) { makeScrollable(); }
  }, true);
  window.addEventListener("hashchange", unfoldTarget);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details.bb-provenance, details.bb-fold").forEach(function (fold) { fold.open = true; });
  });
  if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", onReady); } else { onReady(); }
})();
