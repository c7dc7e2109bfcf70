// The console: polls the management plane by JSON-RPC, and shows it. ES modules, sent as they are.
import { createAuditView } from './audit-view.js'
import { createBeansView } from './beans-view.js'
import { byId, h, setCurrent, setText } from './dom.js'
import { toCalls, toFigures, toRefusal } from './figures.js'
import { createHistory } from './history.js'
import { listenForKeys } from './keys.js'
import { createLinkSign } from './link-sign.js'
import { getAddresses, setLinks } from './listeners.js'
import { createLiveView } from './live-view.js'
import { createLoginView } from './login-view.js'
import { createOverview } from './overview.js'
import { createPoller } from './poller.js'
import { toSample } from './rates.js'
import { route } from './route.js'
import { call, RpcFailure, sendBatch } from './rpc.js'
import { getSession, logOut } from './session.js'
import { toStatus } from './status.js'
import { createStatusStrip } from './status-strip.js'

/** Polls that follow an action at once show the new state, but say nothing about rates. */
const minRateMs = 1_000

const main = byId('main')
const history = createHistory()
/** @type {import('./session.js').Session | undefined} */
let session
let vendor = ''
/** What rates are taken from. @type {import('./figures.js').Figures | undefined} */
let before
/** The newest rates. @type {import('./rates.js').Sample} */
let sample = {}

const pollNow = () => poller.now()
const canOperate = () => session?.canOperate ?? false
const strip = createStatusStrip(byId('status'), { vendor: () => vendor, canOperate, onDone: pollNow })
const overview = createOverview({ vendor: () => vendor, history, canOperate, pollNow })
const beans = createBeansView({ canOperate, pollNow })
const audit = createAuditView(() => vendor)
const live = createLiveView({ target: async () => (await getAddresses(await findVendor())).collector })
const login = createLoginView(next => start(next))
/** Views ask for more than the figures that every view shows. */
const views = { overview, live, beans, audit }
const titles = { overview: 'Console', live: 'Live', beans: 'Beans', audit: 'Audit' }

const showRoute = () => {
  if (!session?.canView) return
  const { view, rest } = route()
  const { element } = views[view]
  if (view !== 'live') live.leave()
  if (element.parentNode !== main) main.replaceChildren(element)
  for (const link of document.querySelectorAll('.views a')) {
    setCurrent(link, link.getAttribute('href') === `#${view}`)
  }
  document.title = `${titles[view]} · Sluice`
  if (view === 'beans') beans.enter(rest)
  else if (view === 'live') void live.enter(rest)
  else pollNow()
}

const poll = async () => {
  try {
    if (!session?.canView) setSession(await getSession())
    if (!session?.canView) return askLogin()
    if (vendor === '') {
      setLinks(await getAddresses(await findVendor()))
      showRoute()
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
  const view = views[route().view]
  const own = view.calls()
  const outcomes = await sendBatch([...standing, ...own])
  const refusal = toRefusal(outcomes)
  if (refusal !== undefined) return strip.markStale(refusal)
  const figures = toFigures(outcomes.slice(0, standing.length))
  if (before && before.startedAt !== figures.startedAt) {
    // Another process answers: what it offers, and under which names, must be asked again.
    beans.reset()
    vendor = ''
  }
  if (!before || before.startedAt !== figures.startedAt || figures.at - before.at >= minRateMs) {
    sample = toSample(figures, before)
    before = figures
    history.add(figures.at, sample)
  }
  strip.show(toStatus(figures, sample))
  overview.showFigures(figures)
  view.show(own, outcomes.slice(standing.length))
  setText(byId('product'), `Sluice ${figures.version}`)
}

/** @param {import('./session.js').Session} next */
const setSession = next => {
  session = next
  link.showUser(next)
  document.body.classList.toggle('logged-out', !next.canView)
}

/** @returns {'login'} */
const askLogin = () => {
  live.leave()
  setSession({ name: 'nobody', needsToken: true, canView: false, canOperate: false })
  strip.clear()
  if (!login.element.isConnected) {
    main.replaceChildren(login.element)
    login.focus()
  }
  return 'login'
}

/** @param {import('./session.js').Session} next */
const start = next => {
  beans.reset()
  setSession(next)
  showRoute()
  pollNow()
}

const link = createLinkSign(byId('link'), {
  onTry: pollNow,
  onLogOut: () =>
    void logOut().then(() => {
      beans.reset()
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

addEventListener('hashchange', showRoute)
// The address says which view is shown, so the skip link must not change it.
document.querySelector('.skip')?.addEventListener('click', event => {
  event.preventDefault()
  main.focus()
})
listenForKeys({
  isActive: () => session?.canView === true,
  onSearch: () => {
    if (route().view === 'live') return live.focusSearch()
    if (route().view !== 'beans') location.hash = '#beans'
    showRoute()
    beans.focusSearch()
  },
  onBack: () => {
    if (route().view === 'beans') beans.focusList()
  },
})
main.replaceChildren(h('p', { class: 'empty' }, 'Connecting…'))
overview.start()
