import { userInfo } from 'node:os'

/** As whom this process calls where no user is set, as by Hadoop's clients; undefined where its uid has no name. */
export const findProcessUser = (): string | undefined => {
  try {
    return process.env['HADOOP_USER_NAME'] || userInfo().username
  } catch {
    return undefined
  }
}
