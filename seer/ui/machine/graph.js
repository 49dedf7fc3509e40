const graphs = new WeakMap()

export default function ({ parentElement, data, setTriggerValue }) {
  let mine = graphs.get(parentElement)
  if (!mine) graphs.set(parentElement, (mine = { graph: null, gone: false }))
  mine.data = data.graph
  mine.pick = picked => setTriggerValue("pick", picked ?? { background: true })
  const root = parentElement.querySelector(".graph")
  root.style.setProperty("--graph-height", `${data.height}px`)

  const draw = vis => {
    if (mine.gone) return
    root.graph = mine.graph ??= createStateGraph(vis, root, picked => mine.pick(picked))
    mine.graph.update(mine.data)
  }
  if (globalThis.seerVis) draw(globalThis.seerVis)
  else window.addEventListener("seer-vis", () => draw(globalThis.seerVis), { once: true })

  return () => {
    mine.gone = true
    mine.graph?.destroy()
    graphs.delete(parentElement)
  }
}
