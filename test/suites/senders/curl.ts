import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { toMark } from '../marks.ts'
import { type Sending, typeOf } from './traffic.ts'

/** Why there is no curl; undefined where there is. */
export const whyNoCurl = (): string | undefined => spawnSync('curl', ['--version']).error?.message

/** Rounds of three requests by curl: GET of both versions, and a POST of two JSON events. Rejects when one got no 202. */
export const createCurl =
  (url: string, { issue, acknowledge }: Sending): (() => Promise<void>) =>
  async () => {
    for (const version of [1, 2]) {
      const event = issue()
      await call(`${url}/${version}?v=${typeOf(event)},s${toMark(event)}`)
      acknowledge(event)
    }
    const events = [issue(), issue()]
    const body = JSON.stringify(events.map(n => ({ eventName: typeOf(n), payload: { mark: toMark(n) } })))
    const header = 'content-type: application/json'
    await call('--header', header, '--data-binary', body, `${url}/rest/1.0/event`)
    acknowledge(...events)
  }

const call = async (...args: readonly string[]): Promise<void> => {
  const options = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--max-time', '20']
  const { stdout } = await promisify(execFile)('curl', [...options, ...args])
  if (stdout !== '202') throw new Error(`curl was answered ${stdout}`)
}
