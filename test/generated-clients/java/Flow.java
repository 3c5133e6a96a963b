import java.net.URI;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ConsumersApi;
import org.openapitools.client.model.Login;
import org.openapitools.client.model.Profile;
import org.openapitools.client.model.Register;
import org.openapitools.client.model.Session;

/** Registers a consumer, logs in and reads the profile by the generated client. */
public class Flow {
  private static final String EMAIL = "java@example.com";
  private static final String PASSWORD = "correct horse battery staple";
  private static String token;

  public static void main(String[] arguments) throws ApiException {
    Map<String, String> env = System.getenv();
    URI service = URI.create(env.get("API"));
    ApiClient client = new ApiClient();
    client.setScheme(service.getScheme()).setHost(service.getHost()).setPort(service.getPort());
    client.setRequestInterceptor(request -> {
      request.header("X-Touchpoint-Code", env.get("TOUCHPOINT_CODE")).header("X-Touchpoint-Key", env.get("TOUCHPOINT_KEY"));
      if (token != null) request.header("Authorization", "Bearer " + token);
    });
    ConsumersApi consumers = new ConsumersApi(client);

    Register person = new Register().type(Register.TypeEnum.PERSON).firstName("Ada").lastName("Lovelace").email(EMAIL);
    Session registered = consumers.postRegister(person.password(PASSWORD), null, "a-key-of-java", null);
    Session session = consumers.postLogin(new Login().identifier(EMAIL).password(PASSWORD), null, null);
    token = session.getToken();
    Profile profile = consumers.getMe(null);

    require(session.getCustomerId().equals(registered.getCustomerId()), "the login is of another consumer");
    require(profile.getCustomerId().equals(session.getCustomerId()), "the profile is of another consumer");
    require(EMAIL.equals(profile.getEmail()), "the profile has another e-mail address");
    require(profile.getAddress() == null, "the profile has an address");
    System.out.println("Java: registered, logged in and read " + profile.getCustomerId());
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) throw new IllegalStateException(otherwise);
  }
}
