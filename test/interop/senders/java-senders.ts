/** The CloudEvents SDK for Java, of the version of `java/pom.xml`. */
import { join, resolve } from 'node:path'
import { fetchJars, findJava, missingForJars } from '../../../scripts/jvm/maven.ts'
import { start } from '../generators/programs.ts'
import type { Sender } from './sender.ts'

const directory = join(import.meta.dirname, 'java')
const library = resolve('node_modules/.cache/sluice-senders/java-1')

const fetchSdk = async (): Promise<string | undefined> => {
  const missing = await missingForJars(library)
  if (missing !== undefined) return missing
  const jars = { title: 'the CloudEvents SDK', library, pom: join(directory, 'pom.xml'), properties: [] }
  return await fetchJars({ ...jars, log: line => console.log(line) }).then(
    () => undefined,
    (error: Error) => error.message,
  )
}

/** Why it cannot run here, as a sentence; undefined where it can. */
export const missingJava = await fetchSdk()

const run = (mode: string): Sender => ({
  async send(url, names) {
    const flags = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
    const classPath = join(library, '*')
    const args = [...flags, '-cp', classPath, join(directory, 'Send.java'), mode, url, ...names]
    await start((await findJava()) ?? 'java', args, { cwd: directory })
  },
})

/** By the name of the package, and the mode. */
export const javaSenders: Readonly<Record<string, Sender>> = {
  'io.cloudevents, binary': run('binary'),
  'io.cloudevents, structured': run('structured'),
}
