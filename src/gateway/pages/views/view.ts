import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import type { Call } from '../../../http/call/call.ts'
import type { BrowseParams } from '../../reads.ts'
import type { MarkMemory } from '../../rows/mark-memory.ts'
import type { FilesAndTables } from '../../tables/table-directories.ts'
import type { MountOf } from '../../trash/trash-place.ts'
import type { Server } from '../elements/snippets.ts'
import type { OpenFileRows } from '../find/read-window.ts'
import type { Page } from '../frame/layout.ts'

/** One of the pages that a path has. */
export type View = {
  /** Whether it is the one that is asked for: the first in the list of `views.ts` that says so answers. */
  readonly accepts: (asked: ViewRequest) => boolean
  /** Makes the page, or leads to another one. Rejects as the file system does. */
  readonly page: (options: ViewOptions, asked: ViewRequest) => Page | Response | Promise<Page | Response>
}

/** The dependencies of all pages of paths. */
export type ViewOptions = FilesAndTables & {
  readonly openRows: OpenFileRows
  readonly memory: MarkMemory
  /** ms since the epoch. */
  readonly now: () => number
  /** Which mount keeps what of a path is deleted; undefined where nothing is kept. */
  readonly trashOf: MountOf | undefined
}

/** What a page is asked for: the path as it was found, the parameters, and who asks. */
export type ViewRequest = Pick<Call<BrowseParams>, 'params' | 'signal' | 'caller'> & {
  readonly status: FileStatus
  readonly mayWrite: boolean
  readonly server: Server
}

/** Why a page shows something else than what was asked for, at its top. */
export type Notice = Markup | undefined
