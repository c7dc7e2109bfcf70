/**
 * A view: what the part below the status strip shows.
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {(rest: string, query: URLSearchParams) => void} [enter] it is shown, with the rest of the address after its name
 * @property {() => void} [leave] it is shown no longer
 * @property {() => void} [reset] another process or another caller: nothing that was asked for holds
 * @property {() => readonly import('./server/rpc.js').Call[]} calls what it wants of the next poll
 * @property {(asked: readonly import('./server/rpc.js').Call[], outcomes: readonly import('./server/rpc.js').Outcome[], figures: import('./server/figures.js').Figures) => void} show
 * @property {() => void} [focusSearch]
 * @property {() => void} [focusList] back from what was chosen in a list to where it was
 */

/**
 * What views are made with.
 * @typedef {object} Context
 * @property {() => string} vendor the domain of the bean names
 * @property {import('./server/history.js').History} history
 * @property {() => boolean} canOperate
 * @property {() => void} pollNow
 * @property {() => Promise<import('./server/listeners.js').Addresses>} addresses where events are sent, and where files are
 */

/** @typedef {import('./route.js').ViewName} ViewName */

/** @type {Readonly<Record<ViewName, (context: Context) => Promise<View>>>} */
const makers = {
  overview: async context => (await import('./overview/overview.js')).createOverview(context),
  live: async ({ addresses }) =>
    (await import('./live/live-view.js')).createLiveView({ target: async () => (await addresses()).collector }),
  types: async context => (await import('./types/types-view.js')).createTypesView(context),
  refused: async context => (await import('./refused/refused-view.js')).createRefusedView(context),
  beans: async context => (await import('./beans/beans-view.js')).createBeansView(context),
  audit: async context => (await import('./audit-view.js')).createAuditView(context),
}

/**
 * The views by their names. The modules of one are loaded when it is first opened: a page loads what it shows, and no
 * more.
 * @param {Context} context
 */
export const createConsoleViews = context => {
  /** @type {Map<ViewName, View>} */
  const made = new Map()
  /** @type {Map<ViewName, Promise<View>>} */
  const coming = new Map()
  /** @param {ViewName} name */
  const make = async name => {
    try {
      const view = await makers[name](context)
      made.set(name, view)
      return view
    } finally {
      coming.delete(name)
    }
  }
  return {
    /** Those that are loaded. */
    all: () => made.values(),
    /** @param {ViewName} name @returns {View | undefined} undefined while it is not loaded */
    get: name => made.get(name),
    /** @param {ViewName} name @returns {Promise<View>} fails where the server does not send its modules */
    load: name => {
      const view = coming.get(name) ?? make(name)
      if (!made.has(name)) coming.set(name, view)
      return view
    },
  }
}
