import com.google.gson.ToNumberPolicy;
import java.nio.file.Path;
import org.openapitools.client.ApiClient;
import org.openapitools.client.JSON;
import org.openapitools.client.api.FilesApi;

/** The client of the library okhttp-gson, with exact integers in rows. */
final class Client {
  static ApiClient at(String url) {
    JSON.setGson(JSON.getGson().newBuilder().setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create());
    return new ApiClient().setBasePath(url);
  }

  static FilesApi toUpload(String url, Path local) {
    return new FilesApi(at(url));
  }
}
