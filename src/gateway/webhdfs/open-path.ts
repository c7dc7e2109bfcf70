import { SluiceError } from '../../errors.ts'
import { openFile } from '../../filesystem/open-file.ts'
import { baseName, parsePath } from '../../filesystem/path.ts'
import { toDownloadHeaders } from '../../http/answers/security-headers.ts'
import { dataHeaders, toJsonResponse } from '../answers.ts'
import { answerBytes } from '../bytes/answer-bytes.ts'
import { toDataAddress } from './address.ts'
import { toRedirect } from './answers.ts'
import type { WebHdfsCall, WebHdfsHandler } from './context.ts'

/** Answers OPEN: the bytes, without a detour, because they come through this server in any case. */
export const openPath: WebHdfsHandler<'webHdfsGet'> = async (context, call) => {
  const { offset = 0, noredirect } = call.params
  const path = parsePath(call.params.path)
  const file = await openFile(context.fileSystem, path)
  try {
    const { status } = file
    if (status.isDirectory) throw new SluiceError('is-directory', `Path is not a file: ${path}`)
    if (offset > status.length) {
      const message = `Offset=${offset} out of the range [0, ${status.length}); OPEN, path=${path}`
      throw new SluiceError('range-not-satisfiable', message)
    }
    if (noredirect) return toJsonResponse({ Location: toDataAddress(call) })
    if (asksWhere(call)) return toRedirect(call)
    const length = Math.min(status.length - offset, Number(call.params.length ?? Number.POSITIVE_INFINITY))
    const headers = {
      ...dataHeaders,
      ...toDownloadHeaders(baseName(path)),
      'content-type': 'application/octet-stream',
    }
    return await answerBytes(call, file, { offset, length }, { headers }, context.toBodyOptions)
  } finally {
    file.close()
  }
}

/**
 * Hadoop's Java client opens every file by a first call whose bytes it leaves, to learn who has them and how they are
 * encrypted; the one that reads says from where. Half of what a cluster sends for it would be in vain.
 */
const asksWhere = ({ params: { buffersize, offset, data } }: WebHdfsCall<'webHdfsGet'>): boolean =>
  buffersize !== undefined && offset === undefined && !data
