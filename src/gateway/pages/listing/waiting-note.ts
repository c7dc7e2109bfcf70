import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { WaitingEvents } from '../../context.ts'
import { toCounted, toCountText, toIsoTime } from '../elements/format.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { toVisibleText } from '../elements/visible-text.ts'

/** Shows events that are kept but not in a file yet, and when they will be. @param path of the page */
export const toWaitingNote = (waiting: WaitingEvents, path: string): Markup => {
  const { events, types, typeCount } = waiting
  const heading = `${toCounted(events, 'event')} ${events === 1 ? 'waits' : 'wait'} for the flush.`
  const others = types.filter(type => type.path !== path)
  return toNotice(
    'note',
    heading,
    html`<p>${toFlushText(waiting)}</p>${
      others.length === 0
        ? ''
        : html`<details><summary>${toCounted(typeCount, 'event type')}</summary><ul>${others.map(
            type =>
              html`<li><a href="${toBrowseLink(type.path)}">${toVisibleText(type.name)}</a> <span class="dim">${toCountText(type.events)}</span></li>`,
          )}</ul>${typeCount > types.length ? html`<p class="dim">… and ${toCounted(typeCount - types.length, 'more type')}.</p>` : ''}</details>`
    }`,
  )
}

const toFlushText = ({ flushAt, isFailing }: WaitingEvents): Markup => {
  if (flushAt === undefined) return html`Flushing is held: they stay in the spool until it is resumed.`
  const iso = toIsoTime(flushAt)
  return html`The next flush is at <time datetime="${iso}">${iso}</time>.${isFailing ? ' The last one failed; nothing is lost.' : ''}`
}

/** The page of a directory that will be there with the next flush. */
export const toComingPage = (waiting: WaitingEvents, path: string): Markup =>
  html`<div class="head"><h1>${toVisibleText(path)}</h1></div>
${toWaitingNote(waiting, path)}
<div class="empty"><p class="heading">There is no file yet.</p><p>The flush makes this directory.</p></div>`
