/* Draws the charts of a page from the specifications that stand in it, with no request to anywhere.
 *
 * Each div.vega-chart holds a static picture (div.vega-view) and the Vega-Lite specification as inert JSON. The picture is
 * replaced by the live chart when the reader comes near it; if that fails it stays. Charts take the colour of the text
 * around them, so a change of theme needs no second drawing.
 */
(function () {
  "use strict";

  /* A chart is drawn when it is no further than this from what is seen. */
  var NEAR = "500px";

  /* The place of a value among the distinct ones, as a digit or letter; a dash, which is none of them, has none. */
  var PLACES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  /* A specification stands in the page with its tables column by column, distinct values apart; Vega wants lines. */
  function inLines(part) {
    if (!part || typeof part !== "object") return part;
    if (Array.isArray(part)) return part.map(inLines);
    var made = {};
    Object.keys(part).forEach(function (name) { made[name] = inLines(part[name]); });
    if (!("lines" in part && "columns" in part)) return made;
    made.values = Array.from({ length: part.lines }, function (_, place) {
      var line = {};
      Object.keys(part.columns).forEach(function (name) {
        var column = part.columns[name], at = column.at && column.at[place];
        if (typeof at === "string") at = PLACES.indexOf(at);
        if (Array.isArray(column)) line[name] = column[place];
        else if (at >= 0) line[name] = column.of[at];
      });
      return line;
    });
    delete made.lines;
    delete made.columns;
    return made;
  }

  /* How many panels stand side by side, and how wide each may be, in a box of the given width. */
  function layOut(spec, width) {
    var panels = spec.usermeta && spec.usermeta.benchbook && spec.usermeta.benchbook.panels;
    if (!panels || !spec.facet) return spec;
    var room = width - panels.margin;
    var columns = Math.floor((room + panels.gap) / (panels.least + panels.gap));
    columns = Math.max(1, Math.min(panels.count, columns));
    columns = Math.ceil(panels.count / Math.ceil(panels.count / columns));
    var each = Math.floor((room - (columns - 1) * panels.gap) / columns);
    each = Math.max(panels.least, Math.min(panels.most, each));
    return Object.assign({}, spec, { columns: columns, spec: Object.assign({}, spec.spec, { width: each }) });
  }

  /* The lines above a chart go on below where they are wider than the room: at 12 pixels a letter takes up to 6.4. */
  function breakTitle(spec, width) {
    var title = spec.title, most = Math.floor(width / 6.4);
    if (!title || !title.subtitle) return spec;
    var lines = [].concat(title.subtitle).flatMap(function (line) {
      return line.match(new RegExp("\\S.{0," + most + "}(?= |$)", "g")) || [line];
    });
    return Object.assign({}, spec, { title: Object.assign({}, title, { subtitle: lines }) });
  }

  function fileName(spec) {
    var about = (spec.usermeta && spec.usermeta.benchbook) || {};
    return about.file || "chart";
  }

  /* The largest table that stands in a specification. */
  function tableOf(part) {
    if (!part || typeof part !== "object") return [];
    var tables = Array.isArray(part) ? part.map(tableOf) : Object.keys(part).map(function (name) {
      if (name === "data") return Array.isArray((part.data || {}).values) ? part.data.values : [];
      return tableOf(part[name]);
    });
    return longest(tables);
  }

  function longest(tables) {
    return tables.reduce(function (best, table) { return table.length > best.length ? table : best; }, []);
  }

  /* As CSV, without the columns that only place things on paper. */
  function csv(table) {
    var names = [];
    table.forEach(function (line) {
      Object.keys(line).forEach(function (name) {
        if (name[0] !== "_" && names.indexOf(name) < 0) names.push(name);
      });
    });
    function cell(value) {
      var text = value === null || value === undefined ? "" : String(value);
      return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    }
    var lines = table.map(function (line) { return names.map(function (name) { return cell(line[name]); }).join(","); });
    return [names.join(",")].concat(lines).join("\n") + "\n";
  }

  function download(content, type, name) {
    var link = document.createElement("a");
    link.href = content instanceof Blob ? URL.createObjectURL(content) : URL.createObjectURL(new Blob([content], { type: type }));
    link.download = name;
    document.body.appendChild(link);
    link.click();
    link.remove();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }

  /* Saved pictures are black on white, whatever the theme of the page. */
  function saveSvg(view, name) {
    return view.toSVG().then(function (svg) {
      var paper = svg.replace(/currentColor/g, "#222832").replace(/(<svg[^>]*>)/, '$1<rect width="100%" height="100%" fill="#fff"/>');
      download(paper, "image/svg+xml", name + ".svg");
    });
  }

  function savePng(view, name) {
    return view.toCanvas(2).then(function (drawn) {
      var paper = document.createElement("canvas");
      paper.width = drawn.width;
      paper.height = drawn.height;
      var pen = paper.getContext("2d");
      pen.fillStyle = "#fff";
      pen.fillRect(0, 0, paper.width, paper.height);
      pen.drawImage(drawn, 0, 0);
      paper.toBlob(function (blob) { download(blob, "image/png", name + ".png"); }, "image/png");
    });
  }

  function button(text, says, action) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", says);
    made.title = says;
    made.addEventListener("click", action);
    return made;
  }

  function menu(box, spec) {
    var bar = document.createElement("div"), name = fileName(spec), table = tableOf(spec);
    bar.className = "vega-save";
    bar.appendChild(button("SVG", "Save this chart as SVG", function () { saveSvg(box.chartView, name); }));
    bar.appendChild(button("PNG", "Save this chart as PNG", function () { savePng(box.chartView, name); }));
    if (table.length) {
      bar.appendChild(button("CSV", "Save the data of this chart as CSV", function () {
        download(csv(table), "text/csv", name + ".csv");
      }));
    }
    return bar;
  }

  /* The parameter that a legend sets in a chart of several panels: Vega-Lite binds it inside the panels, which have no legend. */
  function legendOf(spec) {
    return spec.facet && (spec.params || []).find(function (param) { return param.bind === "legend"; });
  }

  /* Choose by a click on the legend, add or take away with shift. Vega, which would clear the choice, is not told of the click. */
  function listenToLegend(stage, view, param) {
    var field = param.select.fields[0], store = param.name + "_store";
    stage.classList.add("vega-legend-clicks");
    stage.addEventListener("click", function (event) {
      var item = event.target.__data__, datum = item && item.datum;
      if (!event.target.closest(".role-legend-label, .role-legend-symbol") || !datum) return;
      event.stopPropagation();
      var chosen = view.data(store).map(function (line) { return line.values[0]; }), place = chosen.indexOf(datum.value);
      if (!event.shiftKey) chosen = place === 0 && chosen.length === 1 ? [] : [datum.value];
      else if (place < 0) chosen.push(datum.value);
      else chosen.splice(place, 1);
      view.data(store, chosen.map(function (value) {
        return { unit: "", fields: [{ type: "E", field: field }], values: [value] };
      })).run();
    }, true);
  }

  /* Whether a name in a legend above the chart runs out of the picture, or has made it wider than its room. */
  function legendRunsOut(stage) {
    var svg = stage.querySelector("svg"), seen = svg.getBoundingClientRect(), drawn = svg.viewBox.baseVal.width;
    var end = 1 + (drawn > stage.clientWidth ? seen.left + stage.clientWidth * seen.width / drawn : seen.right);
    return Array.from(stage.querySelectorAll(".role-legend text")).some(function (name) {
      return name.getBoundingClientRect().right > end;
    });
  }

  /* The most names that a legend of a specification asks to have beside each other. */
  function mostNames(part) {
    if (!part || typeof part !== "object" || Array.isArray(part.values)) return 0;
    var own = part.legend && part.legend.columns || 0;
    return Object.keys(part).reduce(function (most, name) { return Math.max(most, mostNames(part[name])); }, own);
  }

  /* A specification none of whose legends has more than so many names beside each other. */
  function withNames(part, names) {
    if (!part || typeof part !== "object") return part;
    if (Array.isArray(part)) return part.map(function (each) { return withNames(each, names); });
    var made = {};
    Object.keys(part).forEach(function (name) {
      made[name] = name === "data" || name === "datasets" ? part[name] : withNames(part[name], names);
    });
    if (made.legend && made.legend.columns > names) made.legend.columns = names;
    return made;
  }

  /* Draw with so many names beside each other in a legend, and with fewer where they have no room. */
  function show(box, spec, names) {
    var stage = document.createElement("div"), still = box.querySelector(".vega-view"), made = withNames(spec, names);
    /* Sliders stand outside the picture, whose inside nobody hears. It is drawn above the old one, which then makes room. */
    var sliders = document.createElement("div"), old = box.querySelector(".vega-sliders");
    sliders.className = "vega-sliders";
    stage.className = "vega-stage vega-not-yet";
    still.appendChild(stage);
    var options = { renderer: "svg", actions: false, tooltip: { theme: "custom" }, bind: sliders };
    return window.vegaEmbed(stage, made, options).then(function (result) {
      if (names > 1 && legendRunsOut(stage)) {
        result.view.finalize();
        stage.remove();
        return show(box, spec, names - 1);
      }
      stage.classList.remove("vega-not-yet");
      stage.querySelector("svg").setAttribute("aria-hidden", "true");  // what there is to see is told around it
      if (old) { old.remove(); }
      still.after(sliders);
      if (box.chartView) box.chartView.finalize();
      box.chartView = result.view;
      if (legendOf(spec)) listenToLegend(stage, result.view, legendOf(spec));
      Array.from(still.children).forEach(function (child) { if (child !== stage) child.remove(); });
      if (!box.querySelector(".vega-save")) box.appendChild(menu(box, box.chartSpec));
      box.dataset.drawn = "1";
    }).catch(function (error) {
      stage.remove();
      box.dataset.failed = String(error);
      console.error("chart not drawn", error);
    });
  }

  /* Vega asks for its room while the page is still being laid out anew, and then draws too wide; here it is told. */
  function keepWidth(box) {
    var view = box.chartView, room = box.querySelector(".vega-view").clientWidth;
    if (view && box.chartSpec.width === "container" && view.signal("width") !== room) view.signal("width", room).run();
  }

  function draw(box) {
    var spec = box.chartSpec, width = box.clientWidth, laidOut = breakTitle(layOut(spec, width), width);
    var shape = JSON.stringify([laidOut.columns, laidOut.spec && laidOut.spec.width, width < 480]);
    if (!width) return;
    if (shape === box.chartShape) { keepWidth(box); return; }
    box.chartShape = shape;
    show(box, laidOut, mostNames(spec) || 1).then(function () { keepWidth(box); });
  }

  /* Draw a chart, and again whenever the room it has changes its layout. */
  function begin(box, watcher) {
    var data = box.querySelector('script[type="application/json"]');
    if (!data) return;
    box.chartSpec = inLines(JSON.parse(data.textContent));
    draw(box);
    watcher.observe(box);
  }

  function start() {
    if (!window.vegaEmbed) return;
    var waiting = 0, changed = new Set();
    var watcher = new ResizeObserver(function (changes) {
      clearTimeout(waiting);
      changes.forEach(function (change) { changed.add(change.target); });
      waiting = setTimeout(function () { changed.forEach(draw); changed.clear(); }, 150);
    });
    var near = new IntersectionObserver(function (changes) {
      changes.forEach(function (change) {
        if (!change.isIntersecting) return;
        near.unobserve(change.target);
        begin(change.target, watcher);
      });
    }, { rootMargin: NEAR });
    document.querySelectorAll("div.vega-chart").forEach(function (box) { near.observe(box); });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
