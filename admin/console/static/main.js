// The console: polls the management plane by JSON-RPC, and shows it. ES modules, sent unchanged except for the
// comments.
import { byId, h, setCurrent, setText } from './elements/dom.js'
import { toErrorText } from './elements/format.js'
import { listenForKeys } from './elements/keys.js'
import { createLoginView } from './login-view.js'
import { toStatus } from './overview/status.js'
import { createStatusStrip } from './overview/status-strip.js'
import { route } from './route.js'
import { toCalls, toFigures, toRefusedCall } from './server/figures.js'
import { createSampleHistory } from './server/history.js'
import { createLinkSign } from './server/link-sign.js'
import { getAddresses, setLinks } from './server/listeners.js'
import { createPoller } from './server/poller.js'
import { toSample } from './server/rates.js'
import { call, RpcFailure, sendBatch } from './server/rpc.js'
import { getSession, logOut } from './server/session.js'
import { createConsoleViews } from './views.js'

/** Polls that follow an action at once show the new state, but say nothing about rates. */
const minRateMs = 1_000

const main = byId('main')
const history = createSampleHistory()
/** @type {import('./server/session.js').Session | undefined} */
let session
let vendor = ''
/** What rates are taken from. @type {import('./server/figures.js').Figures | undefined} */
let before
/** The newest rates. @type {import('./server/rates.js').Sample} */
let sample = {}

const pollNow = () => poller.now()
const canOperate = () => session?.canOperate ?? false
const strip = createStatusStrip(byId('status'), { vendor: () => vendor, canOperate, onDone: pollNow })
const login = createLoginView(next => start(next))
const addresses = async () => getAddresses(await findVendor())
const views = createConsoleViews({
  vendor: () => vendor,
  history,
  canOperate,
  pollNow,
  addresses,
})
const titles = { overview: 'Console', live: 'Live', types: 'Types', refused: 'Refused', beans: 'Beans', audit: 'Audit' }

const showRoute = async () => {
  if (!session?.canView) return
  const { view: name, rest: what } = route()
  for (const view of views.all()) if (view !== views.get(name)) view.leave?.()
  for (const link of document.querySelectorAll('.views a')) {
    setCurrent(link, link.getAttribute('href') === `#${name}`)
  }
  document.title = `${name === 'types' && what !== '' ? `${what} · ` : ''}${titles[name]} · Sluice`
  const view = views.get(name) ?? (await views.load(name).catch(tellMissing))
  const { view: wanted, rest, query } = route()
  if (!view || wanted !== name || !session?.canView) return
  if (view.element.parentNode !== main) main.replaceChildren(view.element)
  if (view.enter) view.enter(rest, query)
  else pollNow()
}

/** @param {unknown} error */
const tellMissing = error => {
  const again = h('button', { type: 'button', click: () => location.reload() }, 'Load the console again')
  main.replaceChildren(
    h('p', { class: 'empty', role: 'alert' }, `This page has not come: ${toErrorText(error)} `, again),
  )
}

const poll = async () => {
  try {
    if (!session?.canView) setSession(await getSession())
    if (!session?.canView) return askLogin()
    if (vendor === '') {
      setLinks(await addresses())
      await showRoute()
    }
    await readFigures()
    return 'ok'
  } catch (error) {
    if (error instanceof RpcFailure && error.kind === 'login') return askLogin()
    throw error
  }
}

const findVendor = async () => {
  vendor ||= /** @type {import('../../client/types.ts').VersionInfo} */ (await call('version')).vendor
  return vendor
}

const readFigures = async () => {
  const standing = toCalls(vendor)
  const view = views.get(route().view)
  const own = view?.calls() ?? []
  const outcomes = await sendBatch([...standing, ...own])
  const refusal = toRefusedCall(outcomes)
  if (refusal !== undefined) return strip.markStale(refusal)
  const figures = toFigures(outcomes.slice(0, standing.length))
  if (before && before.startedAt !== figures.startedAt) {
    // Another process answers: what it offers, and under which names, must be asked again.
    resetViews()
    vendor = ''
  }
  if (!before || before.startedAt !== figures.startedAt || figures.at - before.at >= minRateMs) {
    sample = toSample(figures, before)
    before = figures
    history.add(figures.at, sample)
  }
  strip.show(toStatus(figures, sample), figures.at)
  view?.show(own, outcomes.slice(standing.length), figures)
  setText(byId('product'), `Sluice ${figures.version}`)
}

const resetViews = () => {
  for (const view of views.all()) view.reset?.()
}

/** @param {import('./server/session.js').Session} next */
const setSession = next => {
  session = next
  link.showUser(next)
  document.body.classList.toggle('logged-out', !next.canView)
}

/** @returns {'login'} */
const askLogin = () => {
  for (const view of views.all()) view.leave?.()
  setSession({ name: 'nobody', needsToken: true, canView: false, canOperate: false })
  strip.clear()
  if (!login.element.isConnected) {
    main.replaceChildren(login.element)
    login.focus()
  }
  return 'login'
}

/** @param {import('./server/session.js').Session} next */
const start = next => {
  resetViews()
  setSession(next)
  void showRoute()
  pollNow()
}

const link = createLinkSign(byId('link'), {
  onTry: pollNow,
  onLogOut: () =>
    void logOut().then(() => {
      resetViews()
      askLogin()
    }, pollNow),
})

const poller = createPoller({
  poll,
  onLink: state => {
    link.show(state)
    if (state.kind !== 'unavailable') return
    strip.markStale(
      history.times().length > 0 ? 'The server does not answer; what follows is old' : 'The server does not answer',
    )
    // A gap says that nothing is known; a line across it would say the opposite.
    if (before) history.gap(Math.max(Date.now(), before.at + 1))
    before = undefined
  },
})

const search = async () => {
  if (!views.get(route().view)?.focusSearch) {
    location.hash = '#beans'
    await showRoute()
  }
  views.get(route().view)?.focusSearch?.()
}

addEventListener('hashchange', () => void showRoute())
// The address says which view is shown, so the skip link must not change it.
document.querySelector('.skip')?.addEventListener('click', event => {
  event.preventDefault()
  main.focus()
})
listenForKeys({
  isActive: () => session?.canView === true,
  onSearch: () => void search(),
  onBack: () => views.get(route().view)?.focusList?.(),
})
main.replaceChildren(h('p', { class: 'empty' }, 'Connecting…'))
pollNow()
