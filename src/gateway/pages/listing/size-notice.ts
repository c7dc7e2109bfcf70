import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { hadoopOf } from '../../../filesystem/facets.ts'
import type { FileSystem } from '../../../filesystem/filesystem.ts'
import { toCounted } from '../elements/format.ts'
import { toSizeMark } from '../elements/marks.ts'
import { toNotice } from '../elements/notice.ts'

/** How long a page counts what is below a directory. */
const maxCountMs = 20_000

/** Shows how much is below a directory, hidden files too, or that counting it takes too long for a page. */
export const countSize = async (
  fileSystem: FileSystem,
  path: string,
  signal: AbortSignal,
  timeout = AbortSignal.timeout(maxCountMs),
): Promise<Markup> => {
  try {
    const found = await hadoopOf(fileSystem).getContentSummary(path, { signal: AbortSignal.any([signal, timeout]) })
    const { length, spaceConsumed, fileCount, directoryCount } = found
    const copies = spaceConsumed > length ? html`<p>With all copies of blocks ${toSizeMark(spaceConsumed)}.</p>` : ''
    // The directory itself counts there.
    const directories = toCounted(Math.max(0, directoryCount - 1), 'directory', 'directories')
    return toNotice(
      'good',
      html`${toSizeMark(length)} in ${toCounted(fileCount, 'file')} and ${directories} below.`,
      copies,
    )
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error
    return toNotice('note', `There is more below than can be counted in ${maxCountMs / 1_000} s.`)
  }
}
