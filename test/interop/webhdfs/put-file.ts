import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { userInfo } from 'node:os'
import type { Door } from './doors.ts'

/** Stores a file, in two steps. Not by `fetch`, which mishandles the unrequested "100 Continue" of a DataNode. */
export const putFile = async (door: Door, path: string, content: string): Promise<void> => {
  const asked = await put(`${door.url}/webhdfs/v1${path}?op=CREATE&user.name=${userInfo().username}`)
  const { statusCode } = await put(asked.headers.location ?? '', content)
  if (statusCode !== 201) throw new Error(`Cannot store ${path}: ${statusCode}`)
}

const put = async (url: string, content = ''): Promise<IncomingMessage> => {
  const sent = request(url, { method: 'PUT' }).end(content)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer
}
