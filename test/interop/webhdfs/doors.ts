/** What speaks WebHDFS here, for the same to be asked of each: clients of others cannot tell one from the other. */
import { afterAll, beforeAll, describe } from 'vitest'
import { describeHdfs, type HdfsUrls, realParts } from '../../suites/hdfs.ts'
import { createSluice, type Sluice } from '../../suites/sluice-process.ts'

export type Door = {
  /** `http://host:port` */
  readonly url: string
  /** What is behind it. */
  readonly kind: 'hdfs' | 'embedded'
}

/**
 * Describes the same of a name node, which shows what the client itself can do, of Sluice over HDFS, and of Sluice over
 * its embedded file system.
 * @param body gets a function that knows the door while tests run
 */
export const describeDoors = (name: string, body: (door: () => Door) => void): void => {
  describeHdfs(`${name} with a name node`, hdfs => body(() => ({ url: hdfs.webhdfsUrl, kind: 'hdfs' })))
  describeHdfs(`${name} with Sluice over HDFS`, hdfs => body(useSluice('hdfs', settingsOf(hdfs))))
  describe(`${name} with Sluice over its own file system`, realParts, () => body(useSluice('embedded')))
}

/** Settings of a Sluice over this cluster. */
export const settingsOf = ({ namenodeUrl, webhdfsUrl }: HdfsUrls): readonly string[] => [
  `namenode.url=${namenodeUrl}`,
  `namenode.webhdfs.url=${webhdfsUrl}`,
]

/** Runs a Sluice during the tests of a `describe`. */
export const useSluice = (kind: Door['kind'], settings: readonly string[] = []): (() => Door) => {
  let sluice: Sluice
  beforeAll(async () => {
    sluice = await createSluice({ settings: ['services=gateway', ...settings] })
    await sluice.start()
  })
  afterAll(() => sluice.close())
  return () => {
    const url = sluice.urls()?.['server']
    if (url === undefined) throw new Error('The server does not run')
    return { url, kind }
  }
}
