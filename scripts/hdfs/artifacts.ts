/** Which Hadoop runs here, and where its jars are. */
import { join, resolve } from 'node:path'
import { fetchJars, missingForJars } from '../jvm/maven.ts'

/** The Hadoop line that is used unless `SLUICE_HDFS_VERSION` names another. */
export const defaultHadoopVersion = '3.4.3'

/** Where jars, the state of `npm run hdfs` and its data live: `SLUICE_HDFS_HOME`, else `.hdfs/` in the project. */
export const hdfsHome = (): string =>
  resolve(process.env['SLUICE_HDFS_HOME'] || join(import.meta.dirname, '..', '..', '.hdfs'))

/** What is missing on this machine to run HDFS, as a sentence for people; undefined when all is there. */
export const missingForHdfs = (home = hdfsHome(), version = hadoopVersion()): Promise<string | undefined> =>
  missingForJars(libraryPath(home, version))

/** The Hadoop version to run. */
export const hadoopVersion = (): string => process.env['SLUICE_HDFS_VERSION'] || defaultHadoopVersion

export type ArtifactOptions = {
  readonly home: string
  readonly version: string
  /** Takes progress for people, a line at a time. */
  readonly log: (line: string) => void
}

/**
 * The directory that holds Hadoop's jars, about 60 MB, fetched at the first call.
 * @throws Error as {@link fetchJars} does
 */
export const fetchHadoop = async ({ home, version, log }: ArtifactOptions): Promise<string> => {
  const library = libraryPath(home, version)
  const pom = join(import.meta.dirname, 'pom.xml')
  await fetchJars({ title: `Hadoop ${version}`, library, pom, properties: [`hadoop.version=${version}`], log })
  return library
}

const libraryPath = (home: string, version: string): string => join(home, `hadoop-${version}`)
