import java.util.Map;
import sluice.ApiClient;
import sluice.api.EventsApi;
import sluice.api.FilesApi;
import sluice.model.Entry;
import sluice.model.Event;
import sluice.model.Payload;
import sluice.model.PostEventRequest;

/** With a generated client: `send` posts an event, `read` prints the rows below a path, a line each. */
public final class SendAndRead {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient().setBasePath(arguments[1]);
    if (arguments[0].equals("send")) {
      Payload payload = new Payload();
      payload.putAdditionalProperty("from", "java");
      payload.putAdditionalProperty("n", 7);
      Event event = new Event().eventName(arguments[2]).payload(payload);
      new EventsApi(client).postEvent(new PostEventRequest(event), null, null, null, "java-1", null);
      return;
    }
    for (Entry entry : new FilesApi(client).readJson(arguments[2], null, null, true, null, null, null, null).getEntries()) {
      for (Map<String, Object> row : entry.getContent()) System.out.println(row.get("from") + " " + row.get("n"));
    }
  }
}
