import { action, attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { createObjectName } from '../../src/beans/object-name.ts'

/** A file system as its bean sees it. */
export type FileSystemView = {
  /** Its path in the one name space. */
  readonly path: string
  /** Holds no secret. */
  readonly url: string
  /** Which way it is spoken to and why; empty where there is one way. */
  readonly way: () => string
  /** Rejects when it does not answer. */
  readonly probe: () => Promise<void>
}

/** A bean for each file system behind the server; `nowMs` is a monotonic clock. */
export const fileSystemBeans = (
  vendor: string,
  fileSystems: readonly FileSystemView[],
  nowMs: () => number,
): readonly Bean[] =>
  fileSystems.map(({ path, url, way, probe }) => {
    let last: { readonly answers: boolean; readonly ms: number; readonly problem: string } | undefined
    return defineBean({
      name: createObjectName(`${vendor}.metrics.filesystem`, { name: 'FileSystem', path }),
      description: 'A file system behind the server.',
      attributes: {
        Url: attribute('string', 'Its address.', () => url),
        Path: attribute('string', 'Its mount point in the name space.', () => path),
        SpokenBy: attribute('string', 'Which way it is spoken to, and why; empty where there is one way.', way),
        Answers: attribute('boolean', 'Whether it answered when last asked; null before.', () => last?.answers ?? null),
        Problem: attribute('string', 'The problem of the last check; empty if it answered.', () => last?.problem ?? ''),
      },
      operations: {
        probe: action('Asks whether it answers, and how fast.', async () => {
          const startedAt = nowMs()
          const problem = await probe().then(
            () => '',
            (error: unknown) => (error instanceof Error ? error.message : 'unknown'),
          )
          last = { answers: problem === '', ms: Math.round((nowMs() - startedAt) * 10) / 10, problem }
          return last
        }),
      },
    })
  })
