import { isDrawing } from '../../bytes/media-type.ts'
import { type BytesView, readBytes, toBytesPage } from '../bytes/bytes-page.ts'
import type { Page } from '../frame/layout.ts'
import type { Notice, View, ViewOptions, ViewRequest } from './view.ts'
import { toLinks, toMark } from './view-params.ts'

/** The bytes of a file as stored; of a drawing, which is text and has no rows, where nothing else is asked for. */
export const bytesView: View = {
  accepts: ({ params: { show, range, where }, status }) =>
    show === 'bytes' || (show === undefined && !range && !where && isDrawing(status.path)),
  page: (options, asked) => showBytes(options, asked, asked.params.show && toMark(asked.params.at)?.offset),
}

/** Shows the bytes from a place on. @param toNotice why they are shown where rows were asked for */
export const showBytes = async (
  { fileSystem, now }: ViewOptions,
  asked: ViewRequest,
  offset = 0,
  toNotice: (shown: Pick<BytesView, 'preview'>) => Notice = () => undefined,
): Promise<Page> => {
  const { status, signal, mayWrite, server } = asked
  const { path } = status
  const shown = await readBytes(fileSystem, status, offset, signal)
  const notice = toNotice(shown)
  const links = toLinks(asked)
  return {
    title: path,
    path,
    content: toBytesPage({ status, links, nowMs: now(), mayWrite, server, ...shown, notice }),
  }
}
