// node:child_process
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type AwsKeys, keysFromJson } from './aws-keys.ts'

const run = promisify(execFile)

/** How long a program may take, and how much it may say. */
const limits = { timeout: 60_000, maxBuffer: 64 * 1024, windowsHide: true } as const

/**
 * Keys that a program prints, as `credential_process` of a profile names it. It is started without a shell.
 * @throws Error it failed, or printed something else; nothing of what it printed is repeated
 */
export const runCredentialProcess = async (command: string): Promise<AwsKeys> => {
  const [program, ...args] = splitWords(command)
  if (program === undefined) throw new Error('credential_process names no program')
  const { stdout } = await run(program, args, limits).catch(
    (cause: { readonly code?: string | number | null | undefined }) => {
      throw new Error(`credential_process ${program} failed: ${toReason(cause)}`)
    },
  )
  const keys = keysFromJson(stdout)
  if (keys === undefined) throw new Error(`credential_process ${program} printed no credentials in JSON`)
  return keys
}

const toReason = ({ code }: { readonly code?: string | number | null | undefined }): string =>
  typeof code === 'number'
    ? `it ended with ${code}`
    : (code ?? `it was ended, after ${limits.timeout} ms at the latest`)

/** Words as a shell takes them: quotes keep spaces, and a backslash the character behind it. */
export const splitWords = (command: string): readonly string[] =>
  [...command.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
      (_, double: string | undefined, single: string | undefined, escaped: string | undefined) =>
        double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? '',
    ),
  )
