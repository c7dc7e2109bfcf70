import io.cloudevents.CloudEvent;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.core.message.MessageWriter;
import io.cloudevents.http.HttpMessageFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Sends a CloudEvent of each name: Send MODE URL NAME…. The SDK makes messages; its user sends them, and tries again. */
public class Send {
  public static void main(String[] args) throws Exception {
    for (int i = 2; i < args.length; i++) {
      CloudEvent event = CloudEventBuilder.v1()
          .withId(UUID.randomUUID().toString())
          .withSource(URI.create("/shop"))
          .withType(args[i])
          .withData("application/json", "{\"total\":12.50}".getBytes(StandardCharsets.UTF_8))
          .build();
      HttpRequest request = toRequest(args[0], args[1] + "/rest/1.0/event", event);
      while (!isTaken(request)) {}
    }
  }

  private static HttpRequest toRequest(String mode, String url, CloudEvent event) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
    MessageWriter<?, ?> writer = HttpMessageFactory.createWriter(
        request::header,
        body -> request.POST(body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body)));
    if (mode.equals("binary")) writer.writeBinary(event);
    else writer.writeStructured(event, "application/cloudevents+json");
    return request.build();
  }

  private static boolean isTaken(HttpRequest request) throws InterruptedException {
    try {
      return client.send(request, BodyHandlers.ofString()).statusCode() == 202;
    } catch (IOException e) {
      return false;
    }
  }

  private static final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
}
