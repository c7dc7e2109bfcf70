import type { Params } from '../contract/operations.ts'
import { SluiceError } from '../errors.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { parsePath } from '../filesystem/path.ts'
import type { Call } from '../http/call.ts'
import { toJsonResponse } from './answers.ts'
import type { GatewayContext } from './context.ts'

/** Answers `DELETE /rest/1.0`. */
export const deletePath = async (
  { fileSystem }: GatewayContext,
  { params }: Call<Params<'deletePath'>>,
): Promise<Response> =>
  toJsonResponse({ path: await removePath(fileSystem, params.path, params.recursive), deleted: true })

/**
 * Removes a file or directory; there is no trash.
 * @returns the path in its one spelling
 * @throws SluiceError `not-found`, `not-empty` unless `recursive`, `denied` for the root and for mount points
 */
export const removePath = async (fileSystem: FileSystem, text: string, recursive: boolean): Promise<string> => {
  const path = parsePath(text)
  if (path === '/') throw new SluiceError('denied', 'The root is never deleted')
  if (await fileSystem.delete(path, { recursive })) return path
  throw new SluiceError('not-found', `Cannot delete "${path}": there is no such file or directory`)
}
