import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import { openFile } from '../../filesystem/open-file.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'
import type { GatewayContext } from '../context.ts'
import { answerFile } from './answer-file.ts'

/** Answers `/files/<path>`: one file as stored, by a link that has its path. */
export const readByLink = async (context: GatewayContext, call: Call<Params<'readFile'>>): Promise<Response> => {
  const file = await openFile(context.fileSystem, parsePath(call.params.path))
  try {
    if (file.status.isDirectory) throw toNoFile(file.status.path)
    return await answerFile(context, call, file)
  } finally {
    file.close()
  }
}

const toNoFile = (path: string): SluiceError => {
  const instead =
    'list it with /rest/1.0/json?content=false&path=…, or download it with /rest/1.0/binary?archive=zip&path=…'
  return new SluiceError('is-directory', `"${path}" is a directory: ${instead}`)
}
