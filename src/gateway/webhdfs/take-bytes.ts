import { toJsonResponse } from '../answers.ts'
import { countBytes, noBytes } from '../write/count-bytes.ts'
import { toDataAddress } from './address.ts'
import { toRedirect } from './answers.ts'
import type { WebHdfsCall, WebHdfsContext } from './context.ts'

type BytesCall = WebHdfsCall<'webHdfsPut'> | WebHdfsCall<'webHdfsPost'>

/**
 * The bytes sent with CREATE and APPEND. Hadoop's clients ask first where to send them, without a body; others send
 * them at once. An empty body counts where the client was sent here.
 * @returns the bytes, or the answer that says where to send them
 */
export const takeBytes = (
  { countReceived, tell }: Pick<WebHdfsContext, 'countReceived' | 'tell'>,
  call: BytesCall,
): AsyncIterable<Uint8Array> | Response => {
  const { data, noredirect } = call.params
  const body = call.stream()
  if (body !== null) return countBytes(body, countReceived)
  if (data) return noBytes
  tell({ isSentOn: true })
  return noredirect ? toJsonResponse({ Location: toDataAddress(call) }) : toRedirect(call)
}
