import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import { openFile } from '../../filesystem/open-file.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'
import type { GatewayContext } from '../context.ts'
import type { Reads } from '../reads.ts'
import { answerFile } from './answer-file.ts'

type BinaryCall = Call<Params<'readBinary'>>

/** Answers `/rest/1.0/binary`: bytes as stored. @param readTree answers for anything but a single file */
export const readBinary = async (
  context: GatewayContext,
  call: BinaryCall,
  readTree: Reads['readTree'],
): Promise<Response> => {
  const { params } = call
  if (params.range !== undefined && params.range !== '' && call.header('range') !== undefined) {
    throw new SluiceError('bad-parameter', 'The parameter "range" and the header "Range" exclude one another')
  }
  if (params.range || params.archive || params.select) return await readTree(call, context.toBodyOptions)
  const file = await openFile(context.fileSystem, parsePath(params.path))
  try {
    return file.status.isDirectory ? await readTree(call, context.toBodyOptions) : await answerFile(context, call, file)
  } finally {
    file.close()
  }
}
