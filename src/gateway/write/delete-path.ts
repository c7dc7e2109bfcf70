import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'
import { toJsonResponse } from '../answers.ts'
import type { GatewayContext } from '../context.ts'

/**
 * Answers `DELETE /rest/1.0`; there is no trash.
 * @throws SluiceError `not-found`, `not-empty` unless `recursive`, `denied` for the root and for mount points
 */
export const deletePath = async (
  { fileSystem }: GatewayContext,
  { params }: Call<Params<'deletePath'>>,
): Promise<Response> => {
  const path = parsePath(params.path)
  if (path === '/') throw new SluiceError('denied', 'The root directory cannot be deleted')
  if (await fileSystem.delete(path, { recursive: params.recursive })) return toJsonResponse({ path, deleted: true })
  throw new SluiceError('not-found', `Cannot delete "${path}": there is no such file or directory`)
}
