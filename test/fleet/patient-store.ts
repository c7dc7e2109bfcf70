import type { Store } from '../foreign/store.ts'
import { until } from './until.ts'

/** A store that is asked again, by each of the ways there are, until it answers: name nodes fail over, tokens end. */
export const openPatientStore = (ways: readonly (() => Promise<Store>)[]): Store => {
  const ask = async <T>(call: (store: Store) => Promise<T>): Promise<T> => {
    const answers: T[] = []
    await until('the file system answers', async () => {
      for (const open of ways) {
        if (answers.length > 0) break
        await open()
          .then(call)
          .then(
            answer => answers.push(answer),
            () => {},
          )
      }
      return answers.length > 0
    })
    for (const answer of answers) return answer
    throw new Error('The file system has not answered')
  }
  return { list: directory => ask(store => store.list(directory)), read: path => ask(store => store.read(path)) }
}
