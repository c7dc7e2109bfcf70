// With a generated client: `send URL TYPE` sends events, `use URL TYPE` does everything else.
import java.io.File
import java.math.BigDecimal
import org.openapitools.client.apis.EventsApi
import org.openapitools.client.apis.FilesApi
import org.openapitools.client.apis.ServerApi
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.Event

fun event(type: String, n: Int) = Event(type, mapOf("n" to n, "big" to 9007199254740993L))

fun send(events: EventsApi, type: String) {
    val one = events.postEvent(listOf(event(type, 1)), idempotencyKey = "one-$type")
    println("event ${one.accepted} ${one.rejected}")
    val batch = events.postEvent(listOf(event(type, 2), event("a/b", 3), event(type, 4)))
    println("batch ${batch.accepted} ${batch.rejected} ${batch.errors[0].index} ${batch.errors[0].code.value}")
}

fun plain(number: Any?) = BigDecimal(number.toString()).stripTrailingZeros().toPlainString()

fun read(files: FilesApi, path: String) {
    val listing = files.readJson(path, content = false)
    for (entry in listing.propertyEntries) println("listing ${entry.path.startsWith(listing.path + "/")} ${entry.isDir}")
    for (entry in files.readJson(path, recursive = true).propertyEntries) {
        for (row in entry.content) println("row ${plain(row["n"])} ${plain(row["big"])}")
    }
}

fun upload(files: FilesApi, path: String, content: ByteArray, overwrite: Boolean) {
    val local = File.createTempFile("journey", ".bin")
    local.writeBytes(content)
    val uploaded = files.uploadFile(path, local, overwrite = overwrite, permission = "640")
    println("uploaded ${uploaded.path} ${uploaded.propertySize} ${uploaded.permission}")
}

fun statusOf(call: () -> Unit): Int =
    try {
        call()
        200
    } catch (error: ClientException) {
        error.statusCode
    }

fun handleFiles(files: FilesApi, directory: String) {
    val path = "$directory/ü 1.bin"
    upload(files, path, byteArrayOf(1), false)
    upload(files, path, byteArrayOf(0, -1, 13, 10, 65), true)
    println("refused ${statusOf { upload(files, path, byteArrayOf(2), false) }}")
    println("download ${files.readBinary(path).readBytes().joinToString("") { "%02x".format(it) }}")
    println("deleted ${files.deletePath(path).deleted}")
    println("gone ${statusOf { files.readBinary(path) }}")
}

fun main(arguments: Array<String>) {
    val (verb, url, type) = arguments
    if (verb == "send") return send(EventsApi(url), type)
    for (item in ServerApi(url).getHealth().items) {
        if (item.type == "RealtimeHealthCheck") println("health ${item.type} ${item.code.value}")
    }
    read(FilesApi(url), "/events/$type")
    handleFiles(FilesApi(url), "/up-$type")
}
