// Draws the graph, and shows the card of what is chosen in it or by a link.
(() => {
  const data = JSON.parse(document.getElementById("graph-data").textContent)
  const root = document.getElementById("graph"), panel = document.getElementById("cards")
  const page = document.documentElement, section = document.getElementById("machine")
  const cards = new Map([...panel.querySelectorAll(".place")].map(card => [card.id, card]))
  let chosen = null

  const graph = createStateGraph(vis, root, picked => {
    const id = picked === null ? null : picked.edge ? `edge-${picked.edge.join("-")}` : `state-${picked.node}`
    choose(id === chosen ? null : id)
  })

  function choose(id) {
    chosen = cards.has(id) ? id : null
    for (const [name, card] of cards) card.classList.toggle("shown", name === chosen)
    panel.classList.toggle("chosen", chosen !== null)
    panel.scrollTop = 0
    const [kind, ...states] = chosen === null ? [] : chosen.split("-")
    data.selected = { node: kind === "state" ? Number(states[0]) : null, edge: kind === "edge" ? states.join("-") : null }
    graph.update(data)
  }

  function follow(hash) {
    if (!cards.has(hash.slice(1))) return
    choose(hash.slice(1))
    section.scrollIntoView()
  }

  page.classList.add("js")
  graph.update(data)
  root.graph = graph
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#state-'], a[href^='#edge-']")
    if (!link) return
    event.preventDefault()
    const inside = panel.contains(link)
    choose(link.hash.slice(1))
    if (!inside) section.scrollIntoView()
    history.replaceState(null, "", link.hash)
  })
  addEventListener("hashchange", () => follow(location.hash))
  follow(location.hash)
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.update(data))
  addEventListener("beforeprint", () => { page.classList.add("paper"); graph.update(data) })
  addEventListener("afterprint", () => { page.classList.remove("paper"); graph.update(data) })

  // The link of the part that is read stands out.
  const links = new Map([...document.querySelectorAll("nav a")].map(link => [link.hash.slice(1), link]))
  const seen = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue
      for (const [name, link] of links) link.toggleAttribute("aria-current", name === entry.target.id)
      const here = links.get(entry.target.id)
      here.closest("nav").scrollTo({ left: here.offsetLeft - 48 })
    }
  }, { rootMargin: "-20% 0px -75% 0px" })
  document.querySelectorAll("main > section").forEach(part => seen.observe(part))
})()
