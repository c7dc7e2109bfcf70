// node-only: child processes
import { fork } from 'node:child_process'
import type { Logger } from '../../log/log.ts'
import { childEnvironment, describeChildEnd } from '../../runtime/child-process.ts'
import type { PassNews, PassOrder } from './news.ts'
import type { StartPassProcess } from './run-pass.ts'

export type PassProcessOptions = {
  /** The module that makes a pass. */
  readonly module: URL
  /** What it makes its file systems of, as of now: it goes through a pipe, as it may have secrets. */
  readonly setup: () => unknown
  readonly logger: Logger
}

/** Megabytes of objects: most of what a merge holds are buffers, which are bounded by the merge. */
const heapMb = 384

/** Makes what starts the process of a pass. It ends with this one. */
export const createStartPassProcess =
  ({ module, setup, logger }: PassProcessOptions): StartPassProcess =>
  (scope, onNews) => {
    const child = fork(module, [], {
      serialization: 'advanced',
      env: childEnvironment(),
      execArgv: ['--single-threaded-gc', `--max-old-space-size=${heapMb}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const kill = (): void => void child.kill('SIGKILL')
    const ended = Promise.withResolvers<string>()
    child.on('error', error => ended.resolve(`could not be started: ${error.message}`))
    // Behind its last message.
    child.once('close', (code, signal) => ended.resolve(describeChildEnd(code, signal)))
    child.on('message', message => {
      const news = message as PassNews
      if (news.kind === 'log') logger[news.level](news.fields, news.message)
      else onNews(news)
    })
    const order: PassOrder<unknown> = { setup: setup(), ...scope }
    child.send(order, error => error && kill())
    // The server may end while it is there.
    child.unref()
    child.channel?.unref()
    return { ended: ended.promise, kill }
  }
