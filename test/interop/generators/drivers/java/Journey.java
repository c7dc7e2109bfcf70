import java.io.File;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.EventsApi;
import org.openapitools.client.api.FilesApi;
import org.openapitools.client.api.ServerApi;
import org.openapitools.client.model.Entry;
import org.openapitools.client.model.Event;
import org.openapitools.client.model.EventError;
import org.openapitools.client.model.HealthItem;
import org.openapitools.client.model.IntakeReport;
import org.openapitools.client.model.Listing;
import org.openapitools.client.model.Uploaded;

/** With a generated client: `send URL TYPE` sends events, `use URL TYPE` does everything else. */
public final class Journey {
  private static String url;
  private static FilesApi files;

  public static void main(String[] arguments) throws Exception {
    url = arguments[1];
    ApiClient client = Client.at(url);
    files = new FilesApi(client);
    if (arguments[0].equals("send")) {
      send(new EventsApi(client), arguments[2]);
      return;
    }
    for (HealthItem item : new ServerApi(client).getHealth(false).getItems()) {
      if (item.getType().equals("RealtimeHealthCheck")) {
        System.out.println("health " + item.getType() + " " + item.getCode().getValue());
      }
    }
    read("/events/" + arguments[2]);
    handleFiles("/up-" + arguments[2]);
  }

  private static void send(EventsApi events, String type) throws ApiException {
    IntakeReport one = events.postEvent(List.of(event(type, 1)), null, null, null, "one-" + type, null, null);
    System.out.println("event " + one.getAccepted() + " " + one.getRejected());
    List<Event> several = List.of(event(type, 2), event("a/b", 3), event(type, 4));
    IntakeReport batch = events.postEvent(several, null, null, null, null, null, null);
    EventError error = batch.getErrors().get(0);
    System.out.println(
        "batch " + batch.getAccepted() + " " + batch.getRejected() + " " + error.getIndex() + " " + error.getCode().getValue());
  }

  private static Event event(String type, int n) {
    Map<String, Object> payload = new HashMap<>();
    payload.put("n", n);
    payload.put("big", 9007199254740993L);
    return new Event().eventName(type).payload(payload);
  }

  private static void read(String path) throws ApiException {
    Listing listing = files.readJson(path, null, null, null, null, false, null, null, null, null, null, null, null, null, null, null);
    for (Entry entry : listing.getEntries()) {
      System.out.println("listing " + entry.getPath().startsWith(listing.getPath() + "/") + " " + entry.getIsDir());
    }
    for (Entry entry : files.readJson(path, null, null, true, null, null, null, null, null, null, null, null, null, null, null, null).getEntries()) {
      for (Map<String, Object> row : entry.getContent()) {
        System.out.println("row " + plain(row.get("n")) + " " + plain(row.get("big")));
      }
    }
  }

  private static String plain(Object number) {
    return new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
  }

  private static void handleFiles(String directory) throws Exception {
    String path = directory + "/ü 1.bin";
    Path local = Files.createTempFile("journey", ".bin");
    upload(path, local, new byte[] {1}, false);
    upload(path, local, new byte[] {0, (byte) 0xff, 0x0d, 0x0a, 0x41}, true);
    try {
      upload(path, local, new byte[] {2}, false);
    } catch (ApiException error) {
      System.out.println("refused " + error.getCode());
    }
    File got = files.readBinary(path, null, null, null, null, null, null, null, null, null);
    System.out.println("download " + HexFormat.of().formatHex(Files.readAllBytes(got.toPath())));
    System.out.println("deleted " + files.deletePath(path, null).getDeleted());
    try {
      files.readBinary(path, null, null, null, null, null, null, null, null, null);
    } catch (ApiException error) {
      System.out.println("gone " + error.getCode());
    }
  }

  private static void upload(String path, Path local, byte[] content, boolean overwrite) throws Exception {
    Files.write(local, content);
    Uploaded uploaded = Client.toUpload(url, local).uploadFile(path, local.toFile(), overwrite, null, null, "640");
    System.out.println("uploaded " + uploaded.getPath() + " " + uploaded.getSize() + " " + uploaded.getPermission());
  }
}
