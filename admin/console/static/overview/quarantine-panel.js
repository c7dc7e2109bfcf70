import { createActionButton } from '../elements/action-button.js'
import { createTable, h, setText } from '../elements/dom.js'
import { asNumber, formatBytes, formatCount, toMoment } from '../elements/format.js'

/**
 * What the spool has set aside, with the buttons for each piece; nothing while there is nothing.
 *
 * @typedef {{ readonly name: string, readonly kind: string, readonly bytes: number, readonly events: number, readonly reason: string, readonly oldest?: number }} Piece
 * @typedef {{ readonly files: readonly Piece[], readonly total: number }} Pieces
 */

const heads = ['File', 'Why', 'Events', 'Size', 'Oldest event (UTC)', '']
const kinds = /** @type {Readonly<Record<string, string>>} */ ({
  file: 'refused',
  conflict: 'name taken',
  taken: 'taken, perhaps',
  damage: 'damaged',
  done: 'replayed',
  unknown: 'unknown',
})
const doubt =
  'Its RENAME had no answer. Put it back only when the file system surely does not have its events: they would be there twice.'
const otherFile =
  'Another file has its name. Send it beside that one only when that one does not hold its events: they would be there twice.'

/** @param {{ vendor: () => string, canOperate: () => boolean, onDone: () => void }} operator */
export const createQuarantinePanel = operator => {
  const body = h('tbody')
  const summary = h('p', { class: 'hint' })
  const result = h('p', { role: 'status' })
  const table = h('div', { class: 'scroll' }, createTable(heads, body))
  const element = h(
    'section',
    { class: 'panel quarantine', id: 'quarantine', hidden: true },
    h('h2', {}, 'Set aside'),
    summary,
    table,
    result,
  )
  /** The counts that the list is of, and those of now. */
  let listed = ''
  let current = ''
  let shown = ''
  const mbean = () => `${operator.vendor()}.metrics.collector:name=Quarantine`
  /** @type {Parameters<typeof createActionButton>[1]['tell']} */
  const tell = (text, kind) => result.replaceChildren(h('span', { class: kind }, text))
  const onDone = () => {
    listed = ''
    operator.onDone()
  }

  /** @param {Piece} piece @param {{ label: string, operation: string, title: string, sentences: readonly string[], done: string }} what */
  const toButton = ({ name, events, bytes }, { label, operation, title, sentences, done }) =>
    createActionButton(
      () => ({
        label,
        title,
        sentences,
        details: [
          ['file', name],
          ['holds', `${formatCount(events, 'event')}, ${formatBytes(bytes)}`],
        ],
        mbean: mbean(),
        operation,
        args: [[name]],
        toText: () => `${name}: ${done}`,
      }),
      { label, canOperate: operator.canOperate(), tell, onDone },
    )

  /** @param {Piece} piece */
  const toRow = piece => {
    const { name, kind, bytes, events, reason, oldest } = piece
    const release = {
      label: 'Put back',
      operation: 'release',
      title: 'Put this file back into the queue',
      sentences: ['The next commit takes it to the file system.', ...(kind === 'taken' ? [doubt] : [])],
      done: 'put back, the next commit takes it',
    }
    const rename = {
      label: 'Send under a new name',
      operation: 'releaseUnderNewName',
      title: 'Send this file under a new name',
      sentences: ['The next commit takes it to the file system.', otherFile],
      done: 'put back under a new name, the next commit takes it',
    }
    const remove = {
      label: 'Remove',
      operation: 'remove',
      title: 'Delete this file permanently',
      sentences: ['The events in it are lost, unless the file system has them.'],
      done: 'removed',
    }
    const canRelease = kind === 'file' || kind === 'conflict' || kind === 'taken'
    return h(
      'tr',
      { 'data-piece': kind },
      h('th', { scope: 'row' }, h('code', {}, name)),
      h('td', {}, h('strong', {}, kinds[kind] ?? kind), h('span', { class: 'rest' }, reason)),
      h('td', { class: 'number' }, asNumber(events)),
      h('td', { class: 'number' }, formatBytes(bytes)),
      h('td', { class: 'moment' }, oldest === undefined ? '–' : toMoment(oldest)),
      h(
        'td',
        {},
        h(
          'div',
          { class: 'buttons' },
          ...(canRelease ? [toButton(piece, release)] : []),
          ...(kind === 'conflict' ? [toButton(piece, rename)] : []),
          h('a', { href: `/quarantine/${encodeURIComponent(name)}`, 'aria-label': `Download ${name}` }, 'Download'),
          toButton(piece, remove),
        ),
      ),
    )
  }
  return {
    element,
    /** @returns {readonly import('../server/rpc.js').Call[]} the list, where it is not that of the counts of now */
    calls: () => {
      if (current === '' || current === listed) return []
      return [{ method: 'exec', params: { mbean: mbean(), operation: 'list', arguments: [] } }]
    },
    /** @param {import('../server/rpc.js').Outcome | undefined} outcome */
    take: outcome => {
      if (!outcome) return
      if ('error' in outcome) return setText(summary, outcome.error.message)
      listed = current
      const { files, total } = /** @type {Pieces} */ (outcome.result)
      const more = total > files.length ? `; the first ${files.length} are shown` : ''
      const role = operator.canOperate() ? '' : ' Putting back and removing need a token with the role operate.'
      setText(summary, `${formatCount(total, 'file')} with the events in them${more}.${role}`)
      table.hidden = files.length === 0
      const text = JSON.stringify([files, operator.canOperate()])
      if (text === shown) return
      shown = text
      body.replaceChildren(...files.map(toRow))
    },
    /** @param {import('../server/figures.js').Figures} figures */
    show: ({ spool }) => {
      const counts = [Number(spool?.['QuarantinedFiles'] ?? 0), Number(spool?.['TakenFiles'] ?? 0)]
      const isEmpty = counts.every(count => count === 0)
      // The last outcome is still shown when nothing is left.
      element.hidden = isEmpty && !result.hasChildNodes()
      current = isEmpty && listed === '' && element.hidden ? '' : `${counts.join()} ${operator.canOperate()}`
    },
  }
}
