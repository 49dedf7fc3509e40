// Module state outlives a new drawing of the component, so that no waiting key is lost with it.
const KEYS = /^[0-9npu]$/
const MOST = 60 // keys that may wait
const AGAIN = 4000 // ms without an answer after which keys are sent again; Python takes each number once
const SOON = 350 // ms after a question in which the same key is no answer yet
const SAID = 6000 // ms that a remark stays when no key waits any more
const BETWEEN = 3000 // ms after a drawing has gone in which keys still wait for the next one
const token = Math.random().toString(36).slice(2)
const queue = [] // keys with their sentence that Python has not confirmed
const loose = [] // keys whose sentence is not known here yet: the list has to arrive first
let live = null, gone = -BETWEEN, calls = 0, sequence = 0, sent = 0, retry, hush
let said = "", asked = {}

/** Where the person stands once all waiting keys are taken: the sentence, what was checked, what can be taken back. */
function ahead() {
  const at = { row: live.data.row, end: false, checked: new Set(), causes: new Map(), undo: [...live.data.undo] }
  for (const press of queue) {
    if (press.key === "u") {
      const back = at.undo.pop()
      at.checked.delete(back)
      at.causes.delete(back)
    } else if (press.key !== "n" && press.key !== "p") {
      at.undo.push(press.row)
      at.causes.set(press.row, live.data.causes[press.key])
      if (press.checks) at.checked.add(press.row)
    }
    at.row = press.then
    at.end = press.end
  }
  return at
}

const entry = id => live.data.rows.find(one => one.id === id)
const placeOf = id => (id === live.data.row ? live.data.place : entry(id)?.place)

/** The sentence before or after one in the list; null at its ends, undefined when it is not known here. */
function neighbour(id, by) {
  const place = placeOf(id)
  if (place === undefined) return undefined
  const wanted = place < 0 ? (by > 0 ? 0 : -1) : place + by
  if (wanted < 0 || wanted >= live.data.total) return null
  return live.data.rows.find(one => one.place === wanted)?.id
}

/** The next sentence that is not checked, from the top again after the last; null when all are, undefined when unknown. */
function following(id, checked) {
  const { place: base, total, rows, all } = live.data
  const turn = place => (place - base + total + 1) % (total + 1)
  const open = rows.filter(one => one.open && one.id !== id && !checked.has(one.id))
  open.sort((one, other) => turn(one.place) - turn(other.place))
  const here = placeOf(id)
  if (here === undefined) return undefined
  const found = open.find(one => turn(one.place) > turn(here)) ?? (all ? open[0] : undefined)
  return found ? found.id : all ? null : undefined
}

/** A key with the sentence it is for; null when that is not known yet, false when the key does nothing. */
function place(key) {
  const at = ahead()
  if (key === "n" || key === "p") {
    const then = neighbour(at.row, key === "n" ? 1 : -1)
    if (then === null) return refuse(key === "n" ? "This is the last sentence of the list." : "This is the first sentence.")
    return then === undefined ? null : { key, row: at.row, then }
  }
  if (live.data.off) return refuse(live.data.off)
  if (key === "u") {
    if (!at.undo.length) return refuse("There is nothing to take back.")
    return { key, row: at.row, then: at.undo.at(-1) ?? at.row }
  }
  if (at.end) return refuse("All sentences of the list are checked: the key did nothing.")
  if (asks(key, at)) return false
  const checks = live.data.step && key !== "0"
  if (!checks) return { key, row: at.row, then: at.row, checks }
  const then = following(at.row, at.checked)
  return then === undefined ? null : { key, row: at.row, then: then ?? at.row, checks, end: then === null }
}

/** Whether a key would write over the cause of a checked sentence and has to be pressed once more for that. */
function asks(key, at) {
  const here = at.row === live.data.row ? live.data.here : entry(at.row)
  const checked = at.checked.has(at.row) || (here && !here.open)
  const cause = (at.causes.has(at.row) ? at.causes.get(at.row) : here?.cause) ?? "no cause"
  if (!checked || (live.data.causes[key] ?? "no cause") === cause) return false
  const same = said && asked.line === said && asked.row === at.row && asked.key === key
  if (same && Date.now() - asked.at >= SOON) {
    said = ""
    return false
  }
  const wanted = live.data.causes[key] ?? "no cause"
  const line = `${at.row} is checked already (${cause}). Press ${key} once more to write “${wanted}”.`
  if (!same) asked = { row: at.row, key, line, at: Date.now() }
  refuse(line)
  return true
}

function refuse(line) {
  said = line
  clearTimeout(hush)
  hush = setTimeout(forget, SAID)
  return false
}

function forget() {
  if (queue.length + loose.length) hush = setTimeout(forget, SAID)
  else said = ""
  draw()
}

function take(key) {
  if (queue.length + loose.length >= MOST) refuse(`${MOST} keys wait already: “${key}” was not taken.`)
  else loose.push(key)
  settle()
}

/** Find the sentences of loose keys, in order, as far as they are known. */
function settle() {
  while (live && loose.length) {
    const press = place(loose[0])
    if (press === null) break
    if (press) queue.push({ ...press, number: ++sequence, study: live.data.study })
    loose.shift()
  }
  draw()
  send()
}

function send() {
  if (!live || sent || !queue.length) return
  sent = queue.at(-1).number
  live.send({ token, presses: queue.map(({ end, ...press }) => press) })
  clearTimeout(retry)
  retry = setTimeout(() => { sent = 0; send() }, AGAIN)
}

function confirmed([from, number]) {
  if (from !== token) return
  while (queue.length && queue[0].number <= number) queue.shift()
  if (sent <= number) sent = 0
  if (!queue.length) clearTimeout(retry)
}

function draw() {
  if (!live) return
  const waiting = queue.length + loose.length, strip = live.root.querySelector(".strip")
  strip.dataset.waiting = waiting
  strip.classList.toggle("busy", waiting > 0)
  strip.querySelector(".count").textContent = waiting ? `${waiting} ${waiting === 1 ? "key waits" : "keys wait"}` : ""
  strip.querySelector(".line").textContent = said || (waiting ? upcoming() : live.data.help)
}

function upcoming() {
  const { row } = ahead(), here = entry(row)
  if (loose.length) return "until the list has arrived"
  return here ? `next key: ${here.id} · ${here.about} · ${here.text}` : `next key: ${row}`
}

/** The drawing has gone: a next one takes the keys pressed in between, if it comes soon; else they were for no list. */
function leave() {
  live = null
  gone = Date.now()
  setTimeout(() => { if (!live && Date.now() - gone >= BETWEEN) loose.length = 0 }, BETWEEN)
}

/** Whether a key belongs to what is being typed, or to an open dialog or menu. */
function elsewhere(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return true
  const target = event.composedPath()[0]
  if (target?.isContentEditable || /^(textarea|select)$/i.test(target?.tagName ?? "")) return true
  if (/^input$/i.test(target?.tagName ?? "") && !/^(checkbox|radio|range|button)$/.test(target.type)) return true
  return document.querySelector("[role=dialog], [role=listbox], [role=menu]") !== null
}

window.addEventListener("keydown", event => {
  const key = event.key.toLowerCase()
  if ((!live && Date.now() - gone > BETWEEN) || !KEYS.test(key) || elsewhere(event)) return
  event.preventDefault()
  take(key)
}, true)

export default function ({ parentElement, data, setTriggerValue }) {
  const call = ++calls
  live = { call, root: parentElement, data, send: value => setTriggerValue("pressed", value) }
  confirmed(data.taken)
  settle()
  // A call that was overtaken by the next one is cleaned up after it.
  return () => { if (live?.call === call) leave() }
}
