/** Requests by the program `curl`, a process each, on the core of the load. */
import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { promisify } from 'node:util'
import type { MeasureOptions } from './measure.ts'
import type { Other } from './others/other.ts'
import { runToEnd } from './process.ts'
import { Skipped } from './trial.ts'

const timeoutMs = 3_600_000

export const curlSoftware: Pick<Other, 'describe'> = {
  describe: async () => {
    try {
      const { stdout } = await promisify(execFile)('curl', ['--version'])
      return stdout.split(' ', 2).join(' ')
    } catch (cause) {
      throw Object.assign(new Skipped('no curl: "curl" is not on the PATH'), { cause })
    }
  },
}

/** One request, with the redirects that were followed. */
export type Curled = {
  /** Of the body of the answer, which is dropped. */
  readonly bytes: number
  readonly seconds: number
  /** Where a redirect that was not followed points to. */
  readonly location: string
}

export type CurlOptions = {
  readonly url: string
  readonly status: number
  readonly args?: readonly string[]
}

/** @throws Error for another status than the one expected, or a body that was cut */
export const curl = async (
  { directory: cwd }: MeasureOptions,
  { url, status, args = [] }: CurlOptions,
): Promise<Curled> => {
  const quiet = ['-q', '-sS', '--noproxy', '*', '-o', devNull, '-w', '%{json}']
  const program = { program: 'curl', args: [...quiet, ...args, url], core: 'load', cwd } as const
  const { http_code, size_download, time_total, redirect_url } = (await runToEnd(program, timeoutMs)) as WriteOut
  if (http_code !== status) throw new Error(`${url} was answered with ${http_code}, not ${status}`)
  return { bytes: size_download, seconds: time_total, location: redirect_url ?? '' }
}

/** What is used of the variables of `--write-out`; sizes are bytes, times seconds. */
type WriteOut = {
  readonly http_code: number
  readonly size_download: number
  readonly time_total: number
  readonly redirect_url: string | null
}
