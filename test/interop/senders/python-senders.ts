/** SDKs for Python, of the versions of `python/requirements.txt`. */
import { join } from 'node:path'
import { start } from '../generators/programs.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import type { Sender } from './sender.ts'

const directory = join(import.meta.dirname, 'python')
const environment = await makePythonEnvironment('senders', join(directory, 'requirements.txt'))

/** Why they cannot run here, as a sentence; undefined where they can. */
export const missingPython = 'missing' in environment ? environment.missing : undefined

/** @param sdk a name in `send.py` */
const run = (sdk: string, more: Omit<Sender, 'send'> = {}): Sender => ({
  ...more,
  async send(url, names) {
    if (!('python' in environment)) throw new Error(missingPython)
    const env = { PYTHONDONTWRITEBYTECODE: '1' }
    await start(environment.python, [join(directory, 'send.py'), sdk, url, ...names], { cwd: directory, env })
  },
})

/** By the name of the package, and what differs within it. */
export const pythonSenders: Readonly<Record<string, Sender>> = {
  'cloudevents, binary': run('cloudevents-binary'),
  'cloudevents, structured': run('cloudevents-structured'),
  'segment-analytics-python': run('segment'),
  'rudder-sdk-python': run('rudder'),
  'snowplow-tracker, POST': run('snowplow-post'),
  'snowplow-tracker, GET': run('snowplow-get'),
  posthog: run('posthog'),
  'opentelemetry-exporter-otlp-proto-http': run('otlp', { hasIds: false }),
}
