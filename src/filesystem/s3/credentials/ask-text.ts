import { FileSystemError } from '../../filesystem.ts'
import { answered } from '../../webhdfs/transport/answered.ts'
import type { Ask, Question } from '../../webhdfs/transport/ask.ts'
import { maxErrorBytes, readLimited } from '../../webhdfs/transport/read-limited.ts'

/** Who is asked for keys, and for how long. */
export type TextQuestion = Question & { readonly peer: string; readonly timeoutMs: number }

/** The text of an answer. Rejects with `FileSystemError`, which repeats nothing of it. */
export const askText = async (ask: Ask, url: URL, { peer, timeoutMs, ...question }: TextQuestion): Promise<string> => {
  const what = { peer, timeoutMs, action: 'get credentials for', path: 's3' }
  return await answered(
    ask(url, question),
    { ...what, toRefusal: ({ status }) => refuse(`${peer} answered HTTP ${status}`) },
    async ({ status, body }) => {
      const text = await readLimited(body, maxErrorBytes)
      if (status >= 300) throw refuse(`${peer} answered HTTP ${status}`)
      return text
    },
  )
}

const refuse = (reason: string): FileSystemError =>
  new FileSystemError('unavailable', 's3', `Cannot get credentials for "s3": ${reason}`)
