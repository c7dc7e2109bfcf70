import { h } from '../elements/dom.js'
import { toErrorText } from '../elements/format.js'
import { loadBeans } from './bean-catalog.js'
import { createBeanDetail } from './bean-detail.js'
import { createBeanList } from './bean-list.js'
import { isOldName } from './bean-name.js'

/** @typedef {import('../server/figures.js').Values} Values */

/**
 * The bean browser: list and search on one side, the chosen bean on the other.
 * @param {{ canOperate: () => boolean, pollNow: () => void }} options
 */
export const createBeansView = ({ canOperate, pollNow }) => {
  /** @type {readonly import('./bean-catalog.js').BeanInfo[]} */
  let beans = []
  let wanted = ''
  /** @type {ReturnType<typeof createBeanDetail> | undefined} */
  let detail
  const main = h('div', { class: 'bean-main' })
  const load = async () => {
    try {
      beans = await loadBeans()
      list.show(beans.filter(({ mbean }) => !isOldName(mbean)))
      open(wanted)
    } catch (error) {
      tell(toErrorText(error))
    }
  }
  const list = createBeanList({ onRefresh: () => void load() })
  const element = h('div', { class: 'beans' }, list.element, main)

  /** @param {string} text */
  const tell = text => main.replaceChildren(h('p', { class: 'empty', role: 'status' }, text))

  /** @param {string} mbean */
  const open = mbean => {
    wanted = mbean
    element.classList.toggle('has-bean', mbean !== '')
    list.select(mbean)
    if (mbean !== '' && detail?.mbean === mbean) return
    const bean = beans.find(one => one.mbean === mbean)
    detail = bean && createBeanDetail(bean, { canOperate: canOperate(), onDone: pollNow })
    if (detail) {
      main.replaceChildren(detail.element)
      scrollTo(0, 0)
      pollNow()
    } else if (mbean === '') tell('Choose a bean, or type / to search: a name, an attribute, an operation.')
    else if (beans.length > 0) tell(`There is no bean ${mbean} any more.`)
  }
  return {
    element,
    focusSearch: list.focus,
    /** Back from a bean to where it was chosen. */
    focusList: list.focusSelected,
    /** @param {string} mbean empty: none */
    enter: mbean => {
      const shown = detail?.mbean
      open(mbean)
      if (beans.length === 0) void load()
      else if (detail && detail.mbean !== shown) detail.focus()
    },
    reset: () => {
      beans = []
      detail = undefined
      main.replaceChildren()
    },
    /** @returns {readonly import('../server/rpc.js').Call[]} what this view wants of the next poll */
    calls: () => (detail ? [{ method: 'read', params: { mbean: detail.mbean } }] : []),
    /** @param {readonly import('../server/rpc.js').Call[]} asked @param {readonly import('../server/rpc.js').Outcome[]} outcomes */
    show: (asked, [outcome]) => {
      if (!outcome || asked[0]?.params?.['mbean'] !== detail?.mbean) return
      if ('result' in outcome) {
        const { value, timestamp } = /** @type {import('../../../client/types.ts').ReadResult<Values>} */ (
          outcome.result
        )
        detail?.show(value, timestamp)
      } else {
        detail = undefined
        tell(outcome.error.message)
      }
    },
  }
}
