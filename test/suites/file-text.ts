import { expect } from 'vitest'
import type { FileSystem, FileSystemErrorCode } from '../../src/filesystem/filesystem.ts'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { listAll } from './list-all.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** One chunk of UTF-8. */
export async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield encoder.encode(text)
}

/** All bytes of a file as text. */
export const readText = async (fs: FileSystem, path: string, options = {}): Promise<string> => {
  let text = ''
  const stream = decoder
  for await (const chunk of await fs.open(path, options)) text += stream.decode(chunk, { stream: true })
  return text + stream.decode()
}

/** All entries of a directory, by name. */
export const listNames = async (fs: FileSystem, path: string, options = {}): Promise<string[]> =>
  (await listAll(fs, path, options)).map(({ path }) => path.slice(path.lastIndexOf('/') + 1))

/** Expects a {@link FileSystemError} of that code. */
export const expectCode = async (call: Promise<unknown>, code: FileSystemErrorCode): Promise<void> => {
  const error = await call.then(
    value => new Error(`expected ${code}, but the call resolved with ${JSON.stringify(value)}`),
    reason => reason,
  )
  if (!(error instanceof FileSystemError)) throw error
  expect(error.code, error.message).toBe(code)
}
