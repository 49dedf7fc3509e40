// Draws the data of seer.charts.network in `root`. Python holds the truth: a click only reports what was hit.
function createStateGraph(vis, root, onPick) {
  const element = (tag, parent, properties = {}) => parent.appendChild(Object.assign(document.createElement(tag), properties))
  const stage = element("div", root, { className: "stage" })
  const canvas = element("div", stage, { className: "canvas" })
  const foot = element("div", root, { className: "foot" })
  const legend = element("ul", foot, { className: "legend" })
  const tools = element("div", foot, { className: "tools" })
  canvas.setAttribute("role", "img")

  const nodes = new vis.DataSet(), edges = new vis.DataSet()
  const facts = new Map(), drawn = new Map(), labels = new Map()
  let data = null, theme = null, network = null, hovered = null, shape = null, fitted = 1, moved = false, quiet = null
  const finger = window.matchMedia("(pointer: coarse)").matches

  function readTheme() {
    const style = getComputedStyle(root)
    const read = (name, other) => style.getPropertyValue(name).trim() || other
    return { text: read("--st-text-color", "#222222"), page: read("--st-background-color", "#ffffff"),
      accent: read("--st-primary-color", "#0b6bcb"), font: read("--st-font", "sans-serif") }
  }

  const onPath = () => data.visited.length > 0 || Object.keys(data.steps).length > 0

  // What stands out: the path, else the chosen edge, else the chosen node with its neighbours; null when all are equal.
  function focus() {
    const chosen = data.selected
    if (onPath()) return { nodes: new Set(data.visited), edges: new Set(Object.keys(data.steps)) }
    if (chosen.edge) return { nodes: new Set(chosen.edge.split("-").map(Number)), edges: new Set([chosen.edge]) }
    if (chosen.node === null || chosen.node === undefined) return null
    const touching = data.edges.filter(edge => edge.from === chosen.node || edge.to === chosen.node)
    return { nodes: new Set([chosen.node, ...touching.flatMap(edge => [edge.from, edge.to])]),
      edges: new Set(touching.map(edge => edge.id)) }
  }

  function edgeLook(edge, standing) {
    const places = data.steps[edge.id], bright = standing && standing.edges.has(edge.id)
    const outgoing = data.selected.node === edge.from && !data.selected.edge
    const strong = places || data.selected.edge === edge.id || (bright && outgoing)
    const under = hovered !== null && (hovered === edge.id || hovered === edge.from || hovered === edge.to)
    const opacity = bright ? 0.9 : standing ? 0.07 : under ? 0.8 : 0.34
    if (places && places.length) labels.set(edge.id, { rank: places[0], texts: [listed(places, 4), listed(places, 1)] })
    else if (strong && !onPath()) labels.set(edge.id, { rank: -edge.width, texts: [edge.caption] })
    const title = places && places.length ? `${edge.title}\non the path: ${listed(places, 20)}` : edge.title
    return { ...edge, title, width: bright ? Math.max(edge.width, 2.2) : edge.width,
      color: { color: strong ? theme.accent : theme.text, opacity, inherit: false } }
  }

  const ALONG = [0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8]
  const listed = (places, most) => places.slice(0, most).join(", ") + (places.length > most ? " …" : "")

  // What no label may cover: the discs, and the words below them. A box with a rim, which alone is a circle.
  function obstacles() {
    const at = network.getPositions()
    return data.nodes.flatMap(node => {
      const { x, y } = at[node.id], { radius, lines } = lettering(node)
      const body = node.start ? { x, y, half: radius * 1.75, tall: radius * 0.95, rim: 3 } : { x, y, half: 0, tall: 0, rim: radius + (isChosen(node.id) ? 16 : 6) }
      return [body, ...lines.map(({ text, top, size }) => ({ x, y: y + top, half: 0.3 * size * text.length, tall: size / 2, rim: 1 }))]
    })
  }

  // vis writes edge labels below the nodes; these stand on top, at the first place along the edge that is free. Where
  // there is none, the tooltip tells.
  function drawLabels(ctx) {
    const size = 11 / scale(), at = network.getPositions(), taken = obstacles(), tall = size * 0.7
    const low = network.DOMtoCanvas({ x: 3, y: 3 }), high = network.DOMtoCanvas({ x: stage.clientWidth - 3, y: stage.clientHeight - 3 })
    const free = ({ x, y }, half) => x - half > low.x && x + half < high.x && y - tall > low.y && y + tall < high.y &&
      taken.every(other => Math.hypot(Math.max(0, Math.abs(x - other.x) - half - other.half),
        Math.max(0, Math.abs(y - other.y) - tall - other.tall)) > other.rim)
    ctx.font = `600 ${size}px ${theme.font}`
    for (const [id, { texts }] of [...labels].sort((one, other) => one[1].rank - other[1].rank)) {
      const [from, to] = id.split("-").map(Number), edge = network.body.edges[id]
      if (!edge || !edge.connected) continue
      const radius = facts.get(from).size * grown(), { angle } = data.options.edges.selfReference
      const places = from === to
        ? [38, 30, 46].map(away => ({ x: at[from].x + (radius + away) * Math.cos(angle), y: at[from].y - (radius + away) * Math.sin(angle) }))
        : ALONG.map(share => edge.edgeType.getPoint(share))
      for (const text of texts) {
        const half = ctx.measureText(text).width / 2 + size * 0.35, spot = places.find(place => free(place, half))
        if (!spot) continue
        taken.push({ ...spot, half, tall, rim: size * 0.15 })
        drawLabel(ctx, text, spot, half, tall)
        break
      }
    }
  }

  function drawLabel(ctx, text, { x, y }, half, tall) {
    ctx.beginPath()
    ctx.roundRect(x - half, y - tall, 2 * half, 2 * tall, tall * 0.7)
    ctx.fillStyle = theme.page
    ctx.fill()
    ctx.lineWidth = 1 / scale()
    ctx.strokeStyle = theme.accent
    ctx.stroke()
    ctx.fillStyle = theme.text
    ctx.textAlign = "center"
    ctx.textBaseline = "middle"
    ctx.fillText(text, x, y + tall * 0.07)
  }

  const scale = () => (network ? network.getScale() : 1)
  const grown = () => Math.pow(Math.min(2.2, Math.max(1, 1 / scale())), 0.6)

  const isChosen = id => data.selected.node === id && !data.selected.edge
  const isFaded = id => Boolean(drawn.get("focus")) && !drawn.get("focus").nodes.has(id)

  // How large a node is drawn, whether its name fits into it, and what else is written below it.
  function lettering(node) {
    const zoom = scale(), radius = node.size * grown(), chosen = isChosen(node.id), faded = isFaded(node.id)
    const size = Math.max(Math.min(17, radius * 0.75), 11.5 / zoom), caption = 10.5 / Math.min(1, zoom)
    const inside = node.start || radius * 2 >= size * (0.62 * node.label.length + 0.5), lines = []
    const edge = radius + (chosen ? 17 : 7), below = edge + size * 0.6
    if (!inside) lines.push({ text: node.label, top: below, size, weight: 700, alpha: faded ? 0.35 : 1 })
    if (node.caption && (zoom > 0.6 || chosen) && !faded)
      lines.push({ text: node.caption, top: (inside ? edge : below + size * 0.55) + caption * 0.6, size: caption, weight: 500, alpha: 0.85 })
    return { radius, size, inside, lines }
  }

  function drawNode({ ctx, id, x, y }) {
    const node = facts.get(id), zoom = scale(), { radius, size, inside, lines } = lettering(node)
    const chosen = isChosen(id), faded = isFaded(id)
    const circle = (r, from = 0, to = 2 * Math.PI) => { ctx.beginPath(); ctx.arc(x, y, r, from, to) }
    const write = (text, top, size, weight, colour, outline) => {
      ctx.font = `${weight} ${size}px ${theme.font}`
      ctx.textAlign = "center"
      ctx.textBaseline = "middle"
      if (outline) { ctx.lineJoin = "round"; ctx.lineWidth = 4 / Math.max(zoom, 0.6); ctx.strokeStyle = theme.page; ctx.strokeText(text, x, top) }
      ctx.fillStyle = colour
      ctx.fillText(text, x, top)
    }
    const halo = () => {
      ctx.fillStyle = theme.accent
      ctx.globalAlpha = 0.22
      circle(radius + 15)
      ctx.fill()
      ctx.globalAlpha = 1
      ctx.strokeStyle = theme.accent
      ctx.lineWidth = 3
      circle(radius + 9)
      ctx.stroke()
    }
    const disc = () => {
      ctx.fillStyle = theme.page
      circle(radius + 5.5)
      ctx.fill()
      ctx.globalAlpha = faded ? 0.22 : 1
      ctx.fillStyle = node.color
      circle(radius)
      ctx.fill()
      if (node.share === null || node.share === undefined) return
      ctx.lineWidth = 2.5
      ctx.strokeStyle = theme.text
      const alpha = ctx.globalAlpha
      ctx.globalAlpha = alpha * 0.22
      circle(radius + 3.5)
      ctx.stroke()
      ctx.globalAlpha = alpha
      ctx.strokeStyle = node.color
      circle(radius + 3.5, -Math.PI / 2, -Math.PI / 2 + node.share * 2 * Math.PI)
      ctx.stroke()
    }
    const start = () => {
      const half = radius * 1.75, high = radius * 0.95
      ctx.fillStyle = theme.page
      ctx.globalAlpha = 1
      ctx.beginPath()
      ctx.roundRect(x - half, y - high, 2 * half, 2 * high, high)
      ctx.fill()
      ctx.globalAlpha = faded ? 0.3 : 1
      ctx.lineWidth = 2
      ctx.strokeStyle = theme.text
      ctx.setLineDash([5, 3])
      ctx.stroke()
      ctx.setLineDash([])
      write(node.label, y, Math.max(12, 10 / zoom), 600, theme.text)
    }
    const label = () => {
      ctx.globalAlpha = faded ? 0.35 : 1
      if (inside) write(node.label, y + 0.5, size, 700, faded ? theme.text : node.ink)
      for (const line of lines) {
        ctx.globalAlpha = line.alpha
        write(line.text, y + line.top, line.size, line.weight, theme.text, true)
      }
      ctx.globalAlpha = 1
    }
    return {
      drawNode() {
        ctx.save()
        if (chosen) halo()
        if (node.start) start()
        else disc()
        ctx.restore()
      },
      drawExternalLabel() {
        ctx.save()
        if (!node.start) label()
        ctx.restore()
      },
      nodeDimensions: { width: 2 * (radius + 5), height: 2 * (radius + 5) },
    }
  }

  // Only what differs goes to vis, so that a new selection neither moves nor rebuilds anything.
  function put(set, kind, items) {
    const fresh = items.filter(item => {
      const text = JSON.stringify(item), key = kind + item.id
      return drawn.get(key) !== text && drawn.set(key, text)
    })
    const present = new Set(items.map(item => item.id))
    const gone = set.getIds().filter(id => !present.has(id))
    gone.forEach(id => drawn.delete(kind + id))
    if (gone.length) set.remove(gone)
    if (fresh.length) set.update(kind === "n" ? fresh.map(item => ({ ...item, shape: "custom", ctxRenderer: drawNode })) : fresh)
  }

  // The layout is 16:10. A stage of another shape gets it stretched, an upright one turned: never a new layout.
  function measure() {
    const ratio = stage.clientHeight / Math.max(1, stage.clientWidth), upright = ratio > 1.1
    const stretch = (upright ? 1 / ratio : ratio) / 0.625
    const rounded = Math.round(Math.min(1.6, Math.max(0.75, stretch)) * 20) / 20
    const same = shape && shape.upright === upright && shape.stretch === rounded
    shape = { upright, stretch: rounded }
    return !same
  }

  function placed({ x, y }) {
    const across = y * shape.stretch
    return shape.upright ? { x: across, y: x } : { x, y: across }
  }

  function paint() {
    drawn.set("focus", focus())
    data.nodes.forEach(node => facts.set(node.id, node))
    const items = data.nodes.map(node => ({ id: node.id, label: node.label, title: node.title, size: node.size,
      ...placed(node) }))
    put(nodes, "n", items)
    restyleEdges()
    if (network) network.redraw()
  }

  function restyleEdges() {
    labels.clear()
    put(edges, "e", data.edges.map(edge => edgeLook(edge, drawn.get("focus"))))
  }

  function fit(animation = false) {
    network.fit({ animation, maxZoomLevel: 1.6 })
    fitted = network.getScale()
    moved = false
    allowTouch()
  }

  // One finger scrolls the page until the graph is zoomed in; then it moves the graph.
  function allowTouch() {
    const inner = canvas.querySelector("canvas")
    if (!inner || !finger) return
    const zoomed = network.getScale() > fitted * 1.05
    inner.style.setProperty("touch-action", zoomed ? "none" : "pan-y", "important")
    network.setOptions({ interaction: { dragView: zoomed } })
  }

  function zoom(factor) {
    network.moveTo({ scale: Math.min(4, Math.max(0.15, network.getScale() * factor)), animation: { duration: 150 } })
    moved = true
    setTimeout(allowTouch, 200)
  }

  function showLegend() {
    legend.replaceChildren()
    for (const { colour, label } of data.legend) {
      const item = element("li", legend)
      element("span", item, { className: "dot" }).style.background = colour
      element("span", item, { textContent: label })
    }
    element("li", legend, { className: "note", textContent: data.note })
  }

  // vis takes any edge within 10 units of a click; where edges run side by side the nearest one is meant.
  function edgeAt(pointer) {
    const spot = network.DOMtoCanvas(pointer)
    let nearest, least = 9 / scale()
    for (const { id } of data.edges) {
      const edge = network.body.edges[id]
      if (!edge || !edge.connected) continue
      const away = edge.edgeType.getDistanceToEdge(edge.from.x, edge.from.y, edge.to.x, edge.to.y, spot.x, spot.y)
      if (away < least) [nearest, least] = [id, away]
    }
    return nearest
  }

  function mount() {
    measure()
    paint()
    network = new vis.Network(canvas, { nodes, edges }, data.options)
    canvas.firstElementChild.tabIndex = -1  // no keyboard use here: the page's own boxes choose states
    fit()
    network.on("afterDrawing", drawLabels)
    network.on("click", ({ pointer }) => {
      const node = network.getNodeAt(pointer.DOM)
      const edge = node === undefined ? edgeAt(pointer.DOM) : undefined
      quiet = node ?? edge ?? null
      stage.classList.toggle("quiet", quiet !== null)
      onPick(node !== undefined ? { node } : edge !== undefined ? { edge: edge.split("-").map(Number) } : null)
    })
    const under = id => () => { hovered = id; canvas.style.cursor = id === null ? "" : "pointer"; restyleEdges() }
    network.on("hoverNode", event => under(event.node)())
    network.on("hoverEdge", event => under(event.edge)())
    network.on("blurNode", under(null))
    network.on("blurEdge", under(null))
    // What was clicked needs no tooltip, until the pointer has left it.
    network.on("showPopup", id => stage.classList.toggle("quiet", id === quiet))
    network.on("hidePopup", () => { quiet = null; stage.classList.remove("quiet") })
    network.on("zoom", () => { moved = true; allowTouch() })
    network.on("dragEnd", () => { moved = true })
    // After vis has put its own camera back, which it does once the event is over.
    network.on("resize", () => requestAnimationFrame(() => {
      if (!network || (!measure() && moved)) return
      paint()
      fit()
    }))
  }

  // A plain wheel scrolls the page; with Ctrl (or a pinch on a touch pad, which says so too) it zooms.
  canvas.addEventListener("wheel", event => { if (!event.ctrlKey && !event.metaKey) event.stopImmediatePropagation() }, true)
  const tool = (sign, label, action) => {
    element("button", tools, { type: "button", textContent: sign, title: label, onclick: action }).setAttribute("aria-label", label)
  }
  tool("+", "Zoom in (or Ctrl and the wheel)", () => zoom(1.3))
  tool("−", "Zoom out (or Ctrl and the wheel)", () => zoom(1 / 1.3))
  tool("⤢", "Show the whole graph", () => fit({ duration: 200 }))

  return {
    update(next) {
      data = next
      theme = readTheme()
      canvas.setAttribute("aria-label", data.description)
      showLegend()
      if (network) paint()
      else mount()
    },
    // Where a state stands, in pixels of the page's window.
    where(id) {
      const { x, y } = network.canvasToDOM(network.getPosition(id)), box = canvas.getBoundingClientRect()
      return { x: box.left + x, y: box.top + y }
    },
    destroy() {
      if (network) network.destroy()
      network = null
      root.replaceChildren()
    },
  }
}
