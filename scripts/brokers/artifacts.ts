/** Where the jars of a broker are. */
import { join, resolve } from 'node:path'
import { fetchJars, missingForJars } from '../jvm/maven.ts'
import type { BrokerKind } from './kinds.ts'

/** Where jars and the state of `npm run activemq` and `npm run kafka` live: `SLUICE_BROKERS_HOME`, else `.brokers/`. */
export const brokersHome = (): string =>
  resolve(process.env['SLUICE_BROKERS_HOME'] || join(import.meta.dirname, '..', '..', '.brokers'))

/** What is missing on this machine to run a broker, as a sentence for people; undefined when all is there. */
export const missingForBroker = (kind: BrokerKind): Promise<string | undefined> => missingForJars(libraryPath(kind))

/**
 * The directory that holds a broker's jars, fetched at the first call.
 * @throws Error as {@link fetchJars} does
 */
export const fetchBroker = async (kind: BrokerKind, log: (line: string) => void): Promise<string> => {
  const { name, version } = kind
  const library = libraryPath(kind)
  const pom = join(import.meta.dirname, `${name}.pom.xml`)
  await fetchJars({ title: `${name} ${version}`, library, pom, properties: [`${name}.version=${version}`], log })
  return library
}

const libraryPath = ({ name, version }: BrokerKind): string => join(brokersHome(), `${name}-${version}`)
