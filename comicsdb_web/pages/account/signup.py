"""Sign-up: the form, the page after it, and activation by the mailed link."""

from pyramid.httpexceptions import HTTPSeeOther

from comicsdb import accounts
from comicsdb.accounts import letters
from comicsdb.catalog import InvalidError
from comicsdb.i18n import translate
from comicsdb_web.forms import form_state
from comicsdb_web.http.session_auth import begin_session
from comicsdb_web.pages.account import notice, press_values
from comicsdb_web.pages.site.errors import error_page
from comicsdb_web.rendering.locales import _

REDISPLAYED_FIELDS = ("username", "email", "answer")


def sign_up_form(request):
    """The sign-up form, or the reason why there is none; members are redirected."""
    if request.identity is not None:
        return HTTPSeeOther(request.route_path("account"))
    switch = accounts.sign_up_settings(request.dbsession)
    if switch.signups_enabled:
        return _page(request, form_state.Form())
    return _closed(request, switch.disabled_message or _("Sign-ups are currently closed."))


def sign_up(request):
    """Create an account to be activated; an address in use gets the same response.

    No query may run before `accounts.sign_up`, which may first call another server and hashes the password:
    no transaction should be open meanwhile.
    """
    fields = form_state.text_fields(request)
    if "sealed" in fields:
        fields = accounts.decrypt_sign_up_form(request.registry.settings, fields["sealed"])
    try:
        accounts.sign_up(request.account_context, fields)
    except accounts.TooFastError as error:
        return _page(request, form_state.Form()) | {"sealed": error.sealed}
    except InvalidError as error:
        typed = {name: fields[name] for name in REDISPLAYED_FIELDS if name in fields}
        return _page(request, form_state.with_errors(request, error, typed))
    except accounts.SignUpsClosedError as error:
        return _closed(request, error.text, status=403)
    except accounts.TooManySignUpsError as error:
        response = error_page(request, 429, translate(request.localizer, error.text))
        response.retry_after = error.retry_after
        return response
    return HTTPSeeOther(request.route_path("account.sent"))


def sent(request):
    """The page after sign-up, or after the request for another mail, whether or not anything was sent."""
    if "again" in request.GET:
        text = _(
            "If an account with this address is waiting for activation, we have sent it an e-mail with a"
            " link. Open the link within 24 hours."
        )
    else:
        text = _("We have sent you an e-mail with a link. Open it within 24 hours.")
    return notice(
        request,
        _("Check your e-mail"),
        text,
        _("Nothing after a few minutes? Check your spam folder, or request another e-mail."),
        links=[
            (_("Back to the home page"), request.route_path("home")),
            (_("Send another e-mail"), request.route_path("account.resend")),
        ],
    )


def activation_form(request):
    """The page of a mailed link; opening it activates nothing, as mail scanners open links."""
    words = request.matchdict
    try:
        user = accounts.check_activation(request.account_context, words["uid"], words["secret"])
    except accounts.AccountError as error:
        return _unusable_link(request, error)
    text = _("This activates your account ${name} and logs this browser in.", mapping={"name": user.username})
    return press_values(request, _("Activate your account"), text, _("Activate the account"))


def activate(request):
    """Activate the account of a mailed link, confirm its address and log in."""
    words = request.matchdict
    try:
        user = accounts.activate(request.account_context, words["uid"], words["secret"])
    except accounts.AccountError as error:
        return _unusable_link(request, error)
    begin_session(request, user, confirmed=False)  # logged in by mail only, without the password
    welcome = _("Welcome, ${name}! Your account is active.", mapping={"name": user.username})
    guide = request.route_path("help.page", page="editing")
    request.messages.add("success", welcome, label=_("How to edit"), path=guide)
    return HTTPSeeOther(request.pending_action.redirect_target(request.route_path("account")))


def _unusable_link(request, error: accounts.AccountError):
    if not isinstance(error, accounts.LinkUsedError):
        return notice(
            request,
            _("This link does not work"),
            _("It may be incomplete, more than 24 hours old, or replaced by a newer one."),
            links=[(_("Send a new link"), request.route_path("account.resend"))],
            icon="warning",
            status=404,
        )
    if request.identity is not None:
        text = _("This link has already been used, and you are logged in.")
        links = [
            (_("Your account"), request.route_path("account")),
            (_("Home page"), request.route_path("home")),
        ]
    else:
        text = _("This link has already been used. You can log in now.")
        links = [(_("Log in"), request.route_path("login"))]
    return notice(request, _("Your account is already active"), text, links=links, icon="check")


def resend_form(request):  # noqa: ARG001
    """The form that requests another activation mail."""
    return {"form": form_state.Form()}


def resend(request):
    """Send another activation mail; the response is always the same."""
    fields = form_state.text_fields(request)
    typed = {"email": fields.get("email", "")}
    try:
        accounts.resend_activation(request.account_context, typed["email"])
    except InvalidError as error:
        return {"form": form_state.with_errors(request, error, typed)}
    except accounts.TooManyMailsError as error:
        return {"form": form_state.rate_limited(request, error.retry_after, typed)}
    return HTTPSeeOther(request.route_path("account.sent", _query={"again": "1"}))


def _page(request, form):
    settings = request.registry.settings
    question = translate(request.localizer, accounts.bot_question(settings))
    return {
        "form": form,
        "form_time": accounts.form_time(settings),
        "question": question,
        "sealed": "",  # the submitted form, to be sent once more
    }


def _closed(request, text, *, status=200):
    links = [(_("Back to the home page"), request.route_path("home"))]
    return notice(
        request,
        _("Sign-ups are closed"),
        translate(request.localizer, text),
        links=links,
        icon="lock",
        status=status,
    )


def includeme(config):
    """Add the pages of sign-up and activation."""
    config.add_account_page(
        "signup", "signup/", sign_up_form, renderer="account/signup.jinja2", post=sign_up, member=False
    )
    config.add_account_page("account.sent", "account_activation_sent/", sent, member=False)
    config.add_account_page(
        "account.resend",
        "activate/resend/",
        resend_form,
        renderer="account/resend.jinja2",
        post=resend,
        member=False,
    )
    config.add_mailed_page(
        "account.activate",
        letters.ACTIVATE,
        "/accounts/activate/{uid}/{secret}/",
        activation_form,
        renderer="account/press.jinja2",
        post=activate,
    )
