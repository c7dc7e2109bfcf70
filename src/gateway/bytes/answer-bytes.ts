import type { OpenFile } from '../../filesystem/filesystem.ts'
import type { Call } from '../../http/call/call.ts'
import { createByteBody } from '../body.ts'
import type { ToBodyOptions } from '../context.ts'
import { follow } from '../follow.ts'

/** Which bytes of an open file. */
export type ByteSpan = { readonly offset: number; readonly length: number }

/** Answers with bytes of a file, whose length goes ahead; without them to HEAD. @param init its headers have all but that */
export const answerBytes = async (
  call: Pick<Call<unknown>, 'method' | 'target' | 'signal'>,
  file: OpenFile,
  { offset, length }: ByteSpan,
  { headers, ...init }: { readonly status?: number; readonly headers: Readonly<Record<string, string>> },
  toBodyOptions: ToBodyOptions,
): Promise<Response> => {
  const answer = { ...init, headers: { ...headers, 'content-length': String(length) } }
  if (call.method === 'HEAD') return new Response(null, answer)
  const stop = follow(call.signal)
  const source = await file.read({ offset, length, signal: stop.signal })
  return new Response(await createByteBody(source, length, toBodyOptions(call, stop)), answer)
}
