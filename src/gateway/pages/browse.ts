import { type FileStatus, FileSystemError } from '../../filesystem/filesystem.ts'
import { parsePath } from '../../filesystem/path.ts'
import { toServerAddress } from '../../http/origin/origin.ts'
import type { EventDirectory, ReadContext } from '../context.ts'
import type { Reads } from '../reads.ts'
import { withForm } from '../rows/mark-memory.ts'
import { toFormKey, toTextForm } from '../rows/text-form.ts'
import type { MountOf } from '../trash/trash-place.ts'
import type { Frames } from './frame/frames.ts'
import { type Page, toPageResponse } from './frame/layout.ts'
import { toComingPage } from './listing/waiting-note.ts'
import type { ViewOptions } from './views/view.ts'
import { chooseView } from './views/views.ts'

/**
 * Answers `/rest/1.0/hdfs` with the page of a path, or a redirect to it: rendered here, usable without script (the
 * gateway's specification, parts 1 and 4). Rejects as the file system does.
 * @param now ms since the epoch
 * @param trashOf which mount keeps what of a path is deleted; nothing is kept where it is undefined
 */
export const createBrowse =
  (
    { fileSystem, tables, openRowFile, marks }: ReadContext,
    frames: Frames,
    now: () => number = Date.now,
    trashOf?: MountOf,
  ): Reads['browse'] =>
  async call => {
    const { params, caller, signal } = call
    const form = toTextForm(params)
    const options: ViewOptions = {
      fileSystem,
      tables,
      openRows: ({ status, ...more }) => openRowFile(status, { raw: false, nulls: true, ...form, ...more }),
      memory: withForm(marks, toFormKey(form)),
      now,
      trashOf,
    }
    const server = { address: toServerAddress(call), proof: frames.proof }
    const answer = async (status: FileStatus): Promise<Page | Response> => {
      const asked = { params, caller, signal, status, mayWrite: caller?.has('write') === true, server }
      return await chooseView(asked).page(options, asked)
    }
    const path = parsePath(params.path)
    const made = await fileSystem.getFileStatus(path).then(answer, error => toComing(error, path, params.events))
    if (made instanceof Response) return made
    const consoleUrl = frames.consoleOf(caller, server.address)
    return await toPageResponse({ ...frames.of(caller, made.path ?? '/'), consoleUrl }, made)
  }

/** What is not there, and will be with the next flush perhaps. @throws the error where nothing will be */
const toComing = (error: unknown, path: string, events: EventDirectory | undefined): Page => {
  const isMissing = error instanceof FileSystemError && error.code === 'not-found'
  if (!isMissing || events?.waiting === undefined) throw error
  return { title: path, path, status: 404, content: toComingPage(events.waiting, path) }
}
