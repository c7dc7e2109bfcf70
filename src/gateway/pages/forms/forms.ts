import { z } from 'zod'
import type { Params } from '../../../contract/operations.ts'
import { type ErrorCode, SluiceError } from '../../../errors.ts'
import { baseName, isInside, joinPath, parentPath, parsePath } from '../../../filesystem/path.ts'
import type { Handler } from '../../../http/call/call.ts'
import { withParams } from '../../with-params.ts'
import { checkName } from '../../write/upload-file.ts'
import type { FieldName } from '../elements/field-fault.ts'
import { toCounted } from '../elements/format.ts'
import { toBrowseLink } from '../elements/links.ts'
import type { RefusedForm } from './form-again.ts'
import { type FormCall, findType, putDefaults, type WriteHandlers } from './form-call.ts'
import { moveToTrash, type TrashRules } from './move-to-trash.ts'
import { createUndoMemory, type Moved, type UndoMemory } from './undo-memory.ts'

/** The context of actions, besides the call. */
type FormContext = {
  readonly trash: TrashRules | undefined
  readonly undos: UndoMemory
  readonly fields: URLSearchParams
  /** Says which field the next steps look at, for their errors. */
  readonly at: (field: FieldName) => void
}

/** Does what a form says. @returns the page it leads to */
type Action = (write: WriteHandlers, call: FormCall, context: FormContext) => Promise<string>

/**
 * Answers the forms that change files: does what the operation for programs does, and leads to the page of the directory
 * with 303. Throws what that operation throws.
 * @param trash what `delete` keeps; nothing where it is undefined
 * @param onRefusal hears of an error of a form that people typed into, before it is thrown
 */
export const createFormHandler = (
  write: WriteHandlers,
  trash: TrashRules | undefined,
  onRefusal: (error: SluiceError, form: RefusedForm) => void,
): Handler<Params<'submitForm'>> => {
  const undos = createUndoMemory()
  return async call => {
    const { action, path } = call.params
    // A file is streamed, and no field is read of its form.
    const fields = action === 'upload' ? new URLSearchParams() : await readFields(call)
    let field: FieldName | undefined
    const at: FormContext['at'] = next => {
      field = next
    }
    try {
      return seeOther(await actions[action](write, call, { trash, undos, fields, at }))
    } catch (error) {
      if (error instanceof SluiceError && isTyped(action)) {
        const isOfField = field !== undefined && fieldErrors[field]?.includes(error.code)
        onRefusal(error, { action, path, values: toValues(fields), field: isOfField ? field : undefined })
      }
      throw error
    }
  }
}

/** Errors that another value of a field avoids; all others are about the form as a whole. */
const fieldErrors: { readonly [field in FieldName]?: readonly ErrorCode[] } = {
  name: ['bad-path', 'exists'],
  directory: ['bad-path', 'not-found', 'not-directory'],
  file: ['bad-path', 'bad-parameter', 'exists', 'is-directory'],
}

const isTyped = (action: Params<'submitForm'>['action']): action is RefusedForm['action'] =>
  action === 'mkdir' || action === 'rename' || action === 'upload'

const toValues = (fields: URLSearchParams): RefusedForm['values'] =>
  Object.fromEntries(['name', 'directory'].flatMap(name => (fields.has(name) ? [[name, fields.get(name)]] : [])))

const uploadedShape = z.looseObject({ path: z.string() })

const actions: Readonly<Record<Params<'submitForm'>['action'], Action>> = {
  upload: async ({ uploadFile }, call, { at }) => {
    const { path, overwrite } = call.params
    at('file')
    const directory = path.endsWith('/') ? path : `${path}/`
    const defaults = { replication: 3, permission: 'u=rw,go=r' }
    const answer = await uploadFile(withParams(call, 'uploadFile', { path: directory, overwrite, ...defaults }))
    const name = baseName(uploadedShape.parse(await answer.json()).path)
    return toBrowseLink(directory.slice(0, -1) || '/', { done: 'uploaded', name })
  },

  delete: async (write, call, { trash }) => {
    const path = parsePath(call.params.path)
    const trashed = await deleteOne(write, call, trash, { path, recursive: call.params.recursive })
    return toBrowseLink(parentPath(path), { done: trashed ? 'trashed' : 'deleted', name: baseName(path), trashed })
  },

  'delete-selected': async (write, call, { trash, undos, fields }) => {
    const directory = parsePath(call.params.path)
    const names = [...new Set(fields.getAll('select').map(checkName))]
    if (names.length === 0)
      throw new SluiceError('bad-parameter', 'Field "select": expected names of entries; nothing is selected')
    const moves: Moved[] = []
    for (const [done, name] of names.entries()) {
      const path = joinPath(directory, name)
      try {
        const trashed = await deleteOne(write, call, trash, { path, recursive: true })
        if (trashed !== undefined) moves.push({ path, trashed })
      } catch (error) {
        if (!(error instanceof SluiceError) || done === 0) throw error
        const message = `${error.message}. ${done} of ${names.length} entries were deleted before it`
        throw new SluiceError(error.code, message, { about: error.about, cause: error })
      }
    }
    const name = toCounted(names.length, 'entry', 'entries')
    const last = moves.at(-1)
    if (last === undefined) return toBrowseLink(directory, { done: 'deleted', name })
    const undo = undos.add(toOwner(call), moves)
    return toBrowseLink(directory, { done: 'trashed-selected', name, trashed: parentPath(last.trashed), undo })
  },

  // A file that cannot be restored does not stop the others, and can be retried.
  undo: async (write, call, { undos, fields }) => {
    const directory = parsePath(call.params.path)
    const key = fields.get('undo') ?? ''
    const moves = undos.find(key, toOwner(call))
    if (moves === undefined) {
      throw new SluiceError('not-found', 'This deletion can no longer be undone here; look in the trash')
    }
    const left: Moved[] = []
    let failure: SluiceError | undefined
    for (const move of moves) {
      const { path: destination, trashed: path } = move
      const params = { ...putDefaults, op: 'RENAME', path, destination, renameoptions: 'NONE' } as const
      try {
        await write.webHdfsPut(withParams(call, 'webHdfsPut', params))
      } catch (error) {
        if (!(error instanceof SluiceError)) throw error
        failure ??= error
        left.push(move)
      }
    }
    undos.leave(key, left)
    if (failure) {
      const message = `${failure.message}. ${moves.length - left.length} of ${moves.length} entries are back, the others are in the trash`
      throw new SluiceError(failure.code, message, { about: failure.about, cause: failure })
    }
    return toBrowseLink(directory, { done: 'restored', name: toCounted(moves.length, 'entry', 'entries') })
  },

  mkdir: async (write, call, { fields, at }) => {
    const directory = parsePath(call.params.path)
    at('name')
    const name = checkName(fields.get('name') ?? '')
    const path = joinPath(directory, name)
    // MKDIRS would make the directories above, and is content with one that is there.
    await checkDirectory(write, call, directory)
    if ((await findType(write, call, path)) !== undefined) {
      throw new SluiceError('exists', `Cannot create directory "${path}": the name is taken`)
    }
    await write.webHdfsPut(withParams(call, 'webHdfsPut', { ...putDefaults, op: 'MKDIRS', path }))
    return toBrowseLink(directory, { done: 'created', name })
  },

  rename: async (write, call, { fields, at }) => {
    const path = parsePath(call.params.path)
    if (path === '/') throw new SluiceError('denied', 'The root directory cannot be renamed')
    at('directory')
    const directory = parsePath(fields.get('directory') || parentPath(path))
    at('name')
    const name = checkName(fields.get('name') ?? '')
    const destination = joinPath(directory, name)
    at('directory')
    if (destination !== path && isInside(destination, path)) {
      throw new SluiceError('bad-path', `Cannot move "${path}" into itself`)
    }
    await checkDirectory(write, call, directory)
    at('name')
    const params = { ...putDefaults, op: 'RENAME', path, destination, renameoptions: 'NONE' } as const
    await write.webHdfsPut(withParams(call, 'webHdfsPut', params))
    return toBrowseLink(directory, { done: directory === parentPath(path) ? 'renamed' : 'moved', name })
  },
}

/** Deletes a path, for good where nothing is kept. @returns where it is in the trash */
const deleteOne = async (
  write: WriteHandlers,
  call: FormCall,
  trash: TrashRules | undefined,
  params: { readonly path: string; readonly recursive: boolean },
): Promise<string | undefined> => {
  const kept = trash && !call.params.skipTrash ? await moveToTrash(trash, write, call, params.path) : undefined
  if (kept === undefined) await write.deletePath(withParams(call, 'deletePath', params))
  return kept
}

/** Whose deletions they are. */
const toOwner = ({ caller }: FormCall): string => caller?.name ?? ''

/** Names and a directory; the files of `upload` are streamed. */
const maxFieldBytes = 65_536

const readFields = async (call: FormCall): Promise<URLSearchParams> =>
  new URLSearchParams(new TextDecoder().decode(await call.bytes(maxFieldBytes)))

/** @throws SluiceError `not-found`, `not-directory` */
const checkDirectory = async (write: WriteHandlers, call: FormCall, path: string): Promise<void> => {
  const type = await findType(write, call, path)
  if (type === undefined) throw new SluiceError('not-found', `There is no directory "${path}"`)
  if (type !== 'DIRECTORY') throw new SluiceError('not-directory', `"${path}" is a file, not a directory`)
}

/** "Look there now, by GET": what answers a form. */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...headers, location, 'cache-control': 'no-store' } })
