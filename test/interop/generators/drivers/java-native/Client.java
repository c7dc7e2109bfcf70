import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.FilesApi;

/** The client of the library native. */
final class Client {
  static ApiClient at(String url) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(url);
    return client;
  }

  /** The library makes JSON of every body, of a file the JSON of its name: what is sent is put in place here. */
  static FilesApi toUpload(String url, Path local) {
    return new FilesApi(
        at(url)
            .setRequestInterceptor(
                request -> {
                  try {
                    request.POST(BodyPublishers.ofFile(local));
                  } catch (FileNotFoundException error) {
                    throw new UncheckedIOException(error);
                  }
                }));
  }
}
