/** Spark with Iceberg, of the newest version that Iceberg has a runtime for: 500 MB, fetched by long runs only. */
import { join } from 'node:path'
import { hdfsHome } from '../../../../scripts/hdfs/artifacts.ts'
import { fetchJars, missingForJars } from '../../../../scripts/jvm/maven.ts'
import { makePythonEnvironment } from '../../python-environment.ts'

export type Spark = {
  readonly python: string
  /** For `spark_table.py`. */
  readonly env: { readonly ICEBERG_JARS: string }
}

/** Spark, or what this machine lacks for it, as a sentence. @throws Error when it cannot be fetched though nothing is missing */
export const fetchSpark = async (): Promise<Spark | { readonly missing: string }> => {
  const library = join(hdfsHome(), `iceberg-spark-runtime-${icebergVersion}`)
  const missing = await missingForJars(library)
  if (missing !== undefined) return { missing }
  const made = await makePythonEnvironment('spark', join(import.meta.dirname, 'requirements.txt'))
  if ('missing' in made) return made
  await fetchJars({
    title: `Iceberg ${icebergVersion} for Spark`,
    library,
    pom: join(import.meta.dirname, 'pom.xml'),
    properties: [`iceberg.version=${icebergVersion}`],
    log: console.log,
  })
  return { python: made.python, env: { ICEBERG_JARS: library } }
}

const icebergVersion = '1.12.0'
